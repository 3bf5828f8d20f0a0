// The page: tabs, the place in the address, and what is drawn there.
import * as copy from './copy.mjs';
import * as server from './server.mjs';
import * as views from './views.mjs';

const find = id => document.getElementById(id);
const tabs = ['events', 'speakers'];
// A place such as #event/looms: the tab that it belongs to, and its view.
const places = {
  events: ['events', views.eventList], event: ['events', views.event], add: ['events', views.form],
  edit: ['events', views.form], conflict: ['events', views.conflict],
  speakers: ['speakers', views.speakerList], speaker: ['speakers', views.speaker],
};
let shown = null;

function place() {
  const [name, id] = location.hash.slice(1).split('/');
  return { name: Object.hasOwn(places, name) ? name : 'events', id: id && decodeURIComponent(id) };
}

// Draws the place in the address. What the user is typing is not drawn again when something changes elsewhere.
async function draw() {
  const { name, id } = place();
  const [tab, view] = places[name];
  const isForm = ['add', 'edit', 'conflict'].includes(name);
  const hash = location.hash;
  if (isForm && shown === hash) return status();
  const content = await view(id);
  // Another place was chosen meanwhile, and is drawn by its own call.
  if (hash !== location.hash) return;
  for (const other of tabs) {
    const isChosen = other === tab;
    find(`tab-${other}`).ariaSelected = isChosen;
    find(`tab-${other}`).tabIndex = isChosen ? 0 : -1;
    find(`panel-${other}`).hidden = !isChosen;
    if (!isChosen) find(`panel-${other}`).replaceChildren();
  }
  const panel = find(`panel-${tab}`);
  const focused = panel.contains(document.activeElement) ? document.activeElement : null;
  panel.replaceChildren(...content);
  const isMove = shown !== null && shown !== hash;
  shown = hash;
  if (isMove) {
    // A tab keeps the focus; a link has gone with what it was in.
    if (document.activeElement.role !== 'tab') panel.querySelector('h2')?.focus();
  } else if (focused) {
    // The same link has the focus as before.
    [...panel.querySelectorAll('a')].find(link => link.href === focused.href)?.focus();
  }
  document.title = `${panel.querySelector('h2')?.textContent ?? 'SpeakEasy'} - SpeakEasy`;
  await status();
}

async function status() {
  const changes = await copy.all('changes');
  const conflicts = changes.filter(change => change.conflict).length;
  const parts = [server.state.isOnline ? 'Up to date.' : 'Offline: this is your copy.'];
  if (changes.length > conflicts) parts.push(`${count(changes.length - conflicts, 'change')} not sent yet.`);
  if (conflicts) parts.push(`${count(conflicts, 'conflict')} to decide.`);
  if (changes.length > conflicts && !server.token()) parts.push('Sign in to send.');
  if (server.state.problem) parts.push(`Not sent: ${server.state.problem}.`);
  // A screen reader reads the text aloud whenever it is set, so it is set only if it is another one.
  if (find('status').textContent !== parts.join(' ')) find('status').textContent = parts.join(' ');
  find('sign-in').hidden = Boolean(server.token());
  find('signed-in').hidden = !server.token();
}

const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;

// One draw after the other; what changes during one is drawn by the next.
let drawing = Promise.resolve();
const redraw = () => { drawing = drawing.then(draw).catch(console.error); };

// MARK: Tabs, as in the pattern of WAI-ARIA: arrow keys go from tab to tab, and the chosen one is shown at once.

find('tab-events').parentElement.addEventListener('keydown', event => {
  const index = tabs.indexOf(event.target.id.slice(4));
  const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const tab = tabs[(next + tabs.length) % tabs.length];
  find(`tab-${tab}`).focus();
  location.hash = tab;
});
for (const tab of tabs) find(`tab-${tab}`).addEventListener('click', () => { location.hash = tab; });

// The skip link is no place of the program.
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  find('main').focus();
});

find('sign-in').addEventListener('submit', event => {
  event.preventDefault();
  sessionStorage.setItem('token', find('token').value.trim());
  find('token').value = '';
  server.push();
});
find('sign-out').addEventListener('click', () => {
  sessionStorage.removeItem('token');
  server.changed();
});

addEventListener('hashchange', redraw);
addEventListener('online', () => server.push());
server.onChange(redraw);
redraw();
server.start();
navigator.serviceWorker?.register('worker.js');
