// Calls to the site. A refusal becomes an Error with the site's own sentence.

async function ask(method, path, body) {
  const answer = await fetch(path, {
    method, headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  let told = null;
  try {
    told = text === '' ? null : JSON.parse(text);
  } catch {
    told = { error: text };
  }
  if (!answer.ok) throw new Error(String(told?.error ?? `refused (${answer.status})`));
  return told;
}

export const siteState = () => ask('GET', '/sim/site');
export const catalogue = () => ask('GET', '/sim/catalogue');
export const targets = () => ask('GET', '/sim/targets');
export const control = () => ask('GET', '/sim/control');
export const setControl = (order) => ask('POST', '/sim/control', order);
export const inject = (order) => ask('POST', '/sim/faults', order);
export const clear = (target, kind) => ask('DELETE', `/sim/faults?${new URLSearchParams({ target, kind })}`);
