// The server: pull, follow, push. Whatever happens is written to the copy first, and then told to the windows.
import * as copy from './copy.mjs';

const collections = ['events', 'presenters', 'pictures'];
const windows = new BroadcastChannel('speakeasy');
const target = new EventTarget();
export const state = { isOnline: false, problem: null };

const address = (collection, rest) => `/v1/collections/${collection}/${rest}`;
export const token = () => sessionStorage.getItem('token');
export const onChange = body => target.addEventListener('change', body);

function tell(message = {}) {
  windows.postMessage(message);
  hear(message);
}

function hear({ isOnline, asks }) {
  if (asks) {
    if (isLeader) windows.postMessage({ isOnline: state.isOnline });
    return;
  }
  const returns = isOnline && !state.isOnline;
  state.isOnline = isOnline ?? state.isOnline;
  target.dispatchEvent(new Event('change'));
  if (returns) push();
}

export const changed = () => tell();

// One window follows the server for all windows of this browser, which has only six connections to a server; when it is
// closed, the next one does.
let isLeader = false;
export function start() {
  windows.onmessage = ({ data }) => hear(data);
  windows.postMessage({ asks: true });
  navigator.locks.request('speakeasy-follow', () => {
    isLeader = true;
    collections.forEach(follow);
    return new Promise(() => {});
  });
}

// The browser is online while it follows all collections.
const followed = new Set();
function note(collection, isFollowed) {
  if (isFollowed) followed.add(collection);
  else followed.delete(collection);
  tell({ isOnline: followed.size === collections.length });
}

// Follows first and reads the list then, so that no change is missed in between. The browser itself connects again, and
// continues after the last event that it got.
function follow(collection) {
  const stream = new EventSource(address(collection, 'changes'));
  // Changes are written in the order in which they come, and after the list that was being read.
  let work = Promise.resolve();
  let isLost = false;
  const then = body => { work = work.then(body).catch(lost); };
  const lost = () => {
    if (isLost) return;
    isLost = true;
    stream.close();
    note(collection, false);
    setTimeout(() => follow(collection), 3000);
  };
  const reload = () => then(async () => {
    await copy.replace(collection, await pages(collection));
    note(collection, true);
  });
  stream.addEventListener('ready', reload);
  stream.addEventListener('reset', reload);
  for (const kind of ['added', 'updated', 'removed']) {
    stream.addEventListener(kind, ({ data }) => then(async () => {
      const { id, version, document } = JSON.parse(data);
      await (kind === 'removed' ? copy.remove(collection, id) : copy.put(collection, { id, version, document }));
      note(collection, true);
    }));
  }
  stream.addEventListener('place', () => note(collection, true));
  stream.addEventListener('end', lost);
  stream.onopen = () => then(() => note(collection, true));
  stream.onerror = () => stream.readyState === EventSource.CLOSED ? lost() : note(collection, false);
}

// Reads all documents of a collection, page by page.
async function pages(collection) {
  const rows = [];
  let cursor = null;
  do {
    const query = new URLSearchParams({ limit: 200, ...(cursor && { cursor }) });
    const answer = await fetch(address(collection, `documents?${query}`));
    if (!answer.ok) throw new Error(await reason(answer));
    const page = await answer.json();
    for (const { id, version, document } of page.documents) rows.push({ id, version: String(version), document });
    cursor = page.next;
  } while (cursor);
  return rows;
}

// Sends the waiting changes, each on the condition that the event is as it was when the user changed it.
export const push = () => navigator.locks.request('speakeasy-push', async () => {
  if (!token()) return;
  state.problem = null;
  for (const change of await copy.all('changes')) {
    if (change.conflict) continue;
    try {
      if (!await send(change)) break;
    } catch {
      // No connection: the change waits for the next one.
      break;
    }
  }
  tell();
});

async function send(change) {
  const url = address('events', `documents/${encodeURIComponent(change.id)}`);
  const condition = change.version === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${change.version}"` };
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token()}`, 'Content-Type': 'application/json', ...condition },
    body: JSON.stringify(change.document),
  });
  if (answer.ok) {
    await copy.pushed(change, version(answer) ?? await versionNow(url, change));
  } else if (answer.status === 412) {
    const current = (await answer.json()).current ?? null;
    // An earlier push whose answer was lost has already done it.
    if (current && isSame(current, change.document)) await copy.pushed(change, version(answer));
    else await copy.put('changes', { ...change, conflict: { version: version(answer), current } });
  } else {
    state.problem = await reason(answer);
    return false;
  }
  return true;
}

// Asks for the version of what was pushed. If another person has changed the event since, the old version stays: the next
// push then meets a conflict, and overwrites nothing.
async function versionNow(url, change) {
  const answer = await fetch(url);
  return answer.ok && isSame(await answer.json(), change.document) ? version(answer) : change.version;
}

const version = answer => answer.headers.get('ETag')?.slice(1, -1) ?? null;

async function reason(answer) {
  const problem = await answer.json().catch(() => ({}));
  return problem.message ?? `the server answered with ${answer.status}`;
}

// Whether two documents have the same keys with the same values, in any order.
export function isSame(a, b) {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return Array.isArray(a) === Array.isArray(b) && keys.length === others.length
    && keys.every(key => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}
