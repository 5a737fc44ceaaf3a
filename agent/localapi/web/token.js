// The token comes behind the # of the address, which no server sees, or from the
// field on the page. It leaves the address bar at once and lives as long as this tab.
// What it lets this page do, the gateway says.

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

// caller is who the gateway takes this page for; unknown: it does not know the token.
export let caller = { role: 'viewer', name: '' };

// learnCaller asks the gateway. It throws where there is no answer.
export async function learnCaller() {
  if (!hasToken()) return;
  try {
    caller = await ask('GET', '/v1/caller');
  } catch (fault) {
    if (fault.status !== 401) throw fault;
    caller = { role: 'unknown', name: '' };
  }
}

export const isTechnician = () => caller.role === 'technician';
export const isRobot = () => caller.role === 'robot';

// mayRide: a technician for every robot, a robot for itself.
export const mayRide = (robot) => isTechnician() || (isRobot() && caller.name === robot);

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
  if (!answer.ok) throw Object.assign(new Error(refusal(told, answer)), { status: answer.status });
  return told;
}

function refusal(told, answer) {
  const title = about(told.code)?.title ?? told.title ?? answer.statusText;
  const what = [title || String(answer.status), why(told.detail)].filter(Boolean).join(t('join.colon'));
  return told.code ? `${what} (${told.code})` : what;
}
