// The token comes behind the # of the address, which no server sees, or from the
// field on the page. It leaves the address bar at once and lives as long as this tab.

import { about, t, why } from './text.js';

const KEY = 'hoistway.token';
let held = null; // where the tab may store nothing

function kept() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return held;
  }
}

export function keepToken(token) {
  held = token;
  try {
    if (token) sessionStorage.setItem(KEY, token);
    else sessionStorage.removeItem(KEY);
  } catch { /* held is enough */ }
}

export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!given) return;
  keepToken(given);
  history.replaceState(null, '', location.pathname + location.search);
}

export const hasToken = () => Boolean(kept());

// ask makes a call. It answers the body, or throws an error that says why not.
export async function ask(method, path, body) {
  const headers = {};
  if (hasToken()) headers.Authorization = `Bearer ${kept()}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Error(t('refused.net'));
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(refusal(told, answer));
  return told;
}

function refusal(told, answer) {
  const title = about(told.code)?.title ?? told.title ?? answer.statusText;
  const what = [title || String(answer.status), why(told.detail)].filter(Boolean).join(t('join.colon'));
  return told.code ? `${what} (${told.code})` : what;
}
