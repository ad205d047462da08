// Comfort for pages that work without it: copy buttons, how long ago, and live pages. Runs under a policy that lets nothing else run.

const COPIES = 'button[data-copy], button[data-copy-from]';

/** `data-copy="id"`: copies the text of that element; `data-copy-from="address"`: that of a page of ours. Both say so. */
function offerCopies() {
  for (const button of document.querySelectorAll(COPIES)) button.hidden = false;
  document.addEventListener('click', ({ target }) => {
    const button = target.closest?.(COPIES);
    if (button) copy(button);
  });
}

async function copy(button) {
  const { copy: id, copyFrom: address } = button.dataset;
  try {
    await navigator.clipboard.writeText(id ? document.getElementById(id).textContent : await textAt(address));
    tell(button, 'Copied');
  } catch {
    // Browsers keep the clipboard from pages that came without TLS.
    if (id === undefined) return location.assign(address);
    select(document.getElementById(id));
    tell(button, 'Selected: copy it with the keyboard');
  }
}

async function textAt(address) {
  const answer = await fetch(address, { credentials: 'same-origin' });
  if (!answer.ok || answer.redirected) throw new Error(`${address} answered ${answer.status}.`);
  return answer.text();
}

/** What is hidden or folded cannot be selected. */
function select(source) {
  source.hidden = false;
  for (let fold = source.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  getSelection().selectAllChildren(source);
}

/** On the button for those who look at it, in the live region for those who listen. */
function tell(button, words) {
  button.dataset.words ??= button.textContent;
  button.textContent = words;
  const said = document.getElementById('said');
  said.textContent = words;
  setTimeout(() => {
    button.textContent = button.dataset.words;
    said.textContent = '';
  }, 2500);
}

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** Moments stay as they are, with how long ago that was beside them. */
function sayHowLongAgo(root) {
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
  for (const time of root.querySelectorAll('time[datetime]')) {
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const [size, unit] = UNITS.find(([least]) => Math.abs(seconds) >= least) ?? [1, 'second'];
    const beside = besideOf(time);
    beside.textContent = `(${words.format(Math.round(seconds / size), unit)})`;
  }
}

function besideOf(time) {
  if (time.nextElementSibling?.classList.contains('ago')) return time.nextElementSibling;
  const beside = document.createElement('span');
  beside.className = 'soft ago';
  time.after(' ', beside);
  return beside;
}

/** A link to `#step-3` opens what is folded there. */
function openTarget() {
  document.getElementById(location.hash.slice(1))?.querySelector('details')?.setAttribute('open', '');
}

/** `data-live="address"`: each event of the stream there says that the region changed, and it is fetched anew. */
function followLive() {
  const region = document.querySelector('[data-live]');
  if (region === null) return;
  const stream = new EventSource(region.dataset.live);
  let asked = false;
  let busy = false;
  const look = async () => {
    asked = true;
    if (busy) return;
    busy = true;
    while (asked) {
      asked = false;
      // Not reached just now: the stream comes back by itself, and says so.
      await refresh(region).catch(() => {});
    }
    busy = false;
  };
  stream.addEventListener('changed', look);
  stream.addEventListener('end', () => {
    stream.close();
    location.reload();
  });
}

async function refresh(region) {
  const answer = await fetch(location.href, { credentials: 'same-origin' });
  // Too often, or broken for a moment: the next change asks again.
  if (answer.status === 429 || answer.status >= 500) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(region.id);
  // Signed out, gone or ended: another page stands here now.
  if (answer.redirected || !answer.ok || fresh === null) return location.reload();
  bring(region, fresh);
  sayHowLongAgo(region);
}

/** Brings an element up to date in place: what stays keeps its focus, its selection, and whether it is open. */
function bring(old, fresh) {
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const now = [...old.childNodes];
  const next = [...fresh.childNodes];
  next.forEach((node, at) => {
    const same = now[at];
    if (same === undefined) old.append(node);
    else if (same.nodeName !== node.nodeName || same.id !== node.id) same.replaceWith(node);
    else if (node.nodeType === Node.ELEMENT_NODE) bring(same, node);
    else if (same.data !== node.data) same.data = node.data;
  });
  for (const gone of now.slice(next.length)) gone.remove();
}

offerCopies();
sayHowLongAgo(document);
openTarget();
addEventListener('hashchange', openTarget);
followLive();
