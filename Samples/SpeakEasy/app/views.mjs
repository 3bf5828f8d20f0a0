// The views: each takes an ID and returns elements, made of the copy alone. Texts become text, never HTML.
import * as copy from './copy.mjs';
import * as server from './server.mjs';

// Makes an element with properties (or attributes, if their names have a dash, and role) and children.
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role') element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const heading = text => make('h2', { tabIndex: -1 }, text);
const link = (place, ...children) => make('a', { href: `#${place}` }, ...children);
const card = (place, ...children) => {
  const a = link(place, ...children);
  a.className = 'card';
  return make('li', {}, a);
};
const path = (name, id) => `${name}/${encodeURIComponent(id)}`;

function date(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return make('span', {}, 'Date to be announced');
  const shown = date.toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return make('time', { dateTime: text }, `${shown} UTC`);
}

const rowOf = async (name, id) => (id ? await copy.get(name, id) : undefined);
const title = row => row.document.title || 'Untitled event';
const nameOf = presenter => presenter?.document.name || 'Speaker to be announced';

function mark(event) {
  if (event.conflict) return make('p', { className: 'waiting' }, 'In conflict with the server');
  return event.waits ? make('p', { className: 'waiting' }, 'Not sent yet') : null;
}

// A presenter's picture, or a place of its own for one that is missing or broken.
async function picture(presenter) {
  const name = presenter?.document.name ?? '';
  const initials = name.split(' ').map(word => [...word][0] ?? '').join('').slice(0, 2);
  const empty = make('span', { className: 'picture', role: 'img', 'aria-label': `No picture of ${name || 'the speaker'}` }, initials || '?');
  const { contentType, content } = (await rowOf('pictures', presenter?.document.picture))?.document ?? {};
  if (!content || !String(contentType).startsWith('image/')) return empty;
  const image = make('img', { className: 'picture', alt: `Picture of ${name}`, src: `data:${contentType};base64,${content}` });
  image.addEventListener('error', () => image.replaceWith(empty));
  return image;
}

async function cards(events) {
  const presenters = new Map((await copy.all('presenters')).map(row => [row.id, row]));
  return make('ul', {}, ...events.map(event => card(path('event', event.id), make('div', {},
    make('h3', {}, title(event)),
    make('p', { className: 'quiet' }, date(event.document.begins), ` · ${nameOf(presenters.get(event.document.presenter))}`),
    event.document.summary ? make('p', { className: 'summary' }, event.document.summary) : null,
    mark(event)))));
}

// MARK: Lists

export async function eventList() {
  const events = await copy.events();
  return [heading('Events'), link('add', 'Add an event'),
    events.length ? await cards(events) : make('p', {}, 'There are no events in your copy.')];
}

export async function speakerList() {
  const presenters = await copy.all('presenters');
  presenters.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const rows = await Promise.all(presenters.map(async presenter => card(path('speaker', presenter.id),
    await picture(presenter),
    make('div', {}, make('h3', {}, nameOf(presenter)), make('p', { className: 'quiet' }, presenter.document.title ?? '')))));
  return [heading('Speakers'), rows.length ? make('ul', {}, ...rows) : make('p', {}, 'There are no speakers in your copy.')];
}

// MARK: Details

const missing = (text, place, back) => [heading(text), make('p', {}, link(place, back))];

export async function event(id) {
  const event = (await copy.events()).find(row => row.id === id);
  if (!event) return missing('This event is not in the program', 'events', 'All events');
  const presenter = await rowOf('presenters', event.document.presenter);
  const person = [await picture(presenter), make('div', {}, make('h3', {}, nameOf(presenter)), make('p', {}, presenter?.document.biography ?? ''))];
  return [make('p', {}, link('events', 'All events')), heading(title(event)), mark(event),
    make('p', { className: 'quiet' }, date(event.document.begins), event.document.place ? ` · ${event.document.place}` : ''),
    make('p', {}, event.document.summary ?? ''),
    presenter ? make('ul', {}, card(path('speaker', presenter.id), ...person)) : make('div', { className: 'card' }, ...person),
    make('p', {}, event.conflict ? link(path('conflict', id), 'Decide the conflict') : link(path('edit', id), 'Edit this event')),
  ].filter(Boolean);
}

export async function speaker(id) {
  const presenter = await rowOf('presenters', id);
  if (!presenter) return missing('This speaker is not in the program', 'speakers', 'All speakers');
  const events = (await copy.events()).filter(event => event.document.presenter === id);
  return [make('p', {}, link('speakers', 'All speakers')), heading(nameOf(presenter)),
    make('div', { className: 'card' }, await picture(presenter), make('div', {},
      make('p', { className: 'quiet' }, presenter.document.title ?? ''), make('p', {}, presenter.document.biography ?? ''))),
    make('h3', {}, 'Events'), events.length ? await cards(events) : make('p', {}, 'No events yet.')];
}

// MARK: Changes

const labels = { title: 'Name', begins: 'Begins (UTC)', place: 'Place', seats: 'Seats', presenter: 'Speaker', summary: 'Summary' };

async function save(id, document, seen) {
  await copy.change(id, document, seen);
  location.hash = path('event', id);
  server.changed();
  server.push();
}

// The form of a new event, or of the one with an ID. Keys that it does not know stay as they are.
export async function form(id) {
  const seen = (await copy.events()).find(row => row.id === id);
  if (id && !seen) return missing('This event is not in the program', 'events', 'All events');
  if (seen?.conflict) return missing('This event is in conflict', path('conflict', id), 'Decide the conflict first');
  const old = seen?.document ?? {};
  const chosen = make('select', { id: 'presenter', name: 'presenter' }, make('option', { value: '' }, 'To be announced'));
  for (const row of await copy.all('presenters')) chosen.append(make('option', { value: row.id }, nameOf(row)));
  // A presenter who is not in the copy is not lost.
  if (old.presenter && ![...chosen.options].some(o => o.value === old.presenter)) chosen.append(make('option', {}, old.presenter));
  chosen.value = old.presenter ?? '';
  const input = (name, properties) => make('input', { id: name, name, value: old[name] ?? '', ...properties });
  const fields = {
    title: input('title', { required: true }),
    begins: input('begins', { type: 'datetime-local', value: String(old.begins ?? '').slice(0, 16), required: true }),
    place: input('place', {}), seats: input('seats', { type: 'number', min: 0 }), presenter: chosen,
    summary: make('textarea', { id: 'summary', name: 'summary', rows: 3, value: old.summary ?? '' }),
  };
  const form = make('form', {});
  for (const [name, field] of Object.entries(fields)) form.append(make('label', { htmlFor: name }, labels[name]), field);
  form.append(make('div', { className: 'buttons' }, make('button', { className: 'main' }, 'Save'), link(id ? path('event', id) : 'events', 'Cancel')));
  form.addEventListener('submit', submit => {
    submit.preventDefault();
    const document = { ...old };
    for (const [name, { value }] of Object.entries(fields)) {
      // Only what the user has changed: the seconds of a time, or a number in a string, stay.
      if (name === 'begins' && value === String(old.begins ?? '').slice(0, 16)) continue;
      if (value === String(old[name] ?? '')) continue;
      if (value === '') delete document[name];
      else document[name] = name === 'begins' ? `${value}:00Z` : name === 'seats' ? Number(value) : value;
    }
    save(id ?? crypto.randomUUID(), document, seen);
  });
  return [heading(id ? 'Edit this event' : 'Add an event'), form];
}

// Both versions side by side, with a choice for each key in which they differ. A key that only one side has changed
// begins with that side.
export async function conflict(id) {
  const change = await copy.get('changes', id);
  if (!change?.conflict) return missing('There is no conflict', path('event', id), 'The event');
  const { base, document: own, conflict: { current, version } } = change;
  const resolve = document => copy.put('changes', { id, document, version, base: current, edit: crypto.randomUUID() });
  const leave = async () => { location.hash = path('event', id); server.changed(); await server.push(); };
  const drop = make('button', { type: 'button' }, 'Drop your changes');
  drop.addEventListener('click', async () => {
    await copy.remove('changes', id);
    await (current ? copy.put('events', { id, version, document: current }) : copy.remove('events', id));
    await leave();
  });
  const form = make('form', {});
  form.addEventListener('submit', async submit => {
    submit.preventDefault();
    const merged = { ...(current ?? own) };
    for (const radio of form.querySelectorAll('input:checked')) {
      const [side, key] = [radio.value === 'own' ? own : current, radio.name];
      if (Object.hasOwn(side, key)) merged[key] = side[key];
      else delete merged[key];
    }
    await resolve(merged);
    await leave();
  });
  const keys = current ? [...new Set([...Object.keys(own), ...Object.keys(current)])].filter(key => !server.isSame(own[key], current[key])) : [];
  for (const key of keys) {
    const isOwn = !server.isSame(own[key], base?.[key]);
    const side = (name, text, value, checked) => make('label', {}, make('input', { type: 'radio', name: key, value: name, checked }), ` ${text}: `,
      make('span', {}, value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)));
    form.append(make('fieldset', {}, make('legend', {}, labels[key] ?? key), make('div', { className: 'sides' },
      side('own', 'Yours', own[key], isOwn), side('server', 'The server’s', current[key], !isOwn))));
  }
  form.append(make('div', { className: 'buttons' }, make('button', { className: 'main' }, current ? 'Save these choices' : 'Add it again'), drop));
  return [heading(`Conflict: ${own.title || 'Untitled event'}`),
    make('p', {}, current ? 'Another person has changed this event since you did. Choose a version for each part.'
      : 'Another person has removed this event since you changed it.'), form];
}
