// The token comes behind the # of the address, which no server sees. It leaves
// the address bar at once and lives as long as this tab.

const KEY = 'hoistway.token';

export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
}

export const hasToken = () => Boolean(sessionStorage.getItem(KEY));

// ask sends a change. It answers the body, or throws an error that says why.
export async function ask(method, path, body) {
  const token = sessionStorage.getItem(KEY);
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const what = [told.title || answer.statusText, told.detail].filter(Boolean).join(': ');
    throw new Error(told.code ? `${what} (${told.code})` : what);
  }
  return told;
}
