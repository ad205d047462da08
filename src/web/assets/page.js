// Comfort for pages that work without it: copy buttons, relative times, menus and live pages. The page's policy allows no other script.

const COPIES = 'button[data-copy], button[data-copy-from]';

/** `data-copy="id"`: copies the text of that element; `data-copy-from="address"`: that of a page of ours. Both announce it. */
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
    await navigator.clipboard.writeText(id ? document.getElementById(id).textContent : await fetchText(address));
    announce(button, 'Copied');
  } catch {
    // Browsers deny the clipboard to pages without TLS.
    if (id === undefined) return location.assign(address);
    select(document.getElementById(id));
    announce(button, 'Selected: copy it with the keyboard');
  }
}

async function fetchText(address) {
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

/** On the button for sighted people, in the live region for screen readers. */
function announce(button, words) {
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

/** Moments become relative, with the absolute one in the title. */
function showRelativeTimes(root) {
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
  for (const time of root.querySelectorAll('time[datetime]')) {
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const [size, unit] = UNITS.find(([least]) => Math.abs(seconds) >= least) ?? [1, 'second'];
    time.title = `${time.dateTime.slice(0, 16).replace('T', ' ')} UTC`;
    time.textContent = words.format(Math.round(seconds / size), unit);
  }
}

/** `data-since="moment"`: the seconds since then go on while the page is open. */
function countSeconds() {
  const count = () => {
    for (const counter of document.querySelectorAll('[data-since]')) {
      const seconds = Math.max(0, Math.round((Date.now() - Date.parse(counter.dataset.since)) / 1000));
      counter.textContent = seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    }
  };
  if (document.querySelector('[data-since]')) setInterval(count, 1000);
}

/** An open menu closes by Escape and by a click elsewhere. */
function closeMenus() {
  const close = (isKept) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) if (!isKept(menu)) menu.open = false;
  };
  document.addEventListener('click', ({ target }) => close((menu) => menu.contains(target)));
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close(() => false);
  });
}

/** A link to `#step-3` opens what is folded there, and what that is folded in. */
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  target?.querySelector('details')?.setAttribute('open', '');
  for (let fold = target?.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  target?.scrollIntoView();
}

/** `data-live="address"`: each event of the stream there says that the region changed, which is then fetched again. */
function followLive() {
  const region = document.querySelector('[data-live]');
  if (region === null) return;
  const stream = new EventSource(region.dataset.live);
  let isWanted = false;
  let isBusy = false;
  const look = async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      // Not reachable now: the stream reconnects, and sends another event.
      await refresh([region]).catch(() => {});
    }
    isBusy = false;
  };
  stream.addEventListener('changed', look);
  stream.addEventListener('end', () => {
    stream.close();
    location.reload();
  });
}

/** Brings what the page shows now into its regions, by one request. */
async function refresh(regions) {
  const answer = await fetch(location.href, { credentials: 'same-origin' });
  // Too often, or temporarily broken: the next change tries again.
  if (answer.status === 429 || answer.status >= 500) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const region of regions) {
    const fresh = page.getElementById(region.id);
    // Signed out, deleted or ended: this address is another page now.
    if (answer.redirected || !answer.ok || fresh === null) return location.reload();
    update(region, fresh);
    showRelativeTimes(region);
  }
}

/** Updates an element in place: what stays keeps its focus, its selection, and whether it is open. */
function update(old, fresh) {
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const now = [...old.childNodes];
  const next = [...fresh.childNodes];
  next.forEach((node, at) => {
    const same = now[at];
    if (same === undefined) old.append(node);
    else if (same.nodeName !== node.nodeName || same.id !== node.id) same.replaceWith(node);
    else if (node.nodeType === Node.ELEMENT_NODE) update(same, node);
    else if (same.data !== node.data) same.data = node.data;
  });
  for (const gone of now.slice(next.length)) gone.remove();
}

/** `/` leads to the search field, except while a person types. */
function offerSearch() {
  const field = document.getElementById('search');
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
    if (field === null || event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

/** `data-refresh="4"`: the region is fetched again every 4 seconds while the page is looked at; the most urgent one sets the pace. */
function keepFresh() {
  const regions = [...document.querySelectorAll('[data-refresh]')];
  if (regions.length === 0) return;
  const wait = () => setTimeout(look, Math.min(...regions.map((region) => region.dataset.refresh)) * 1000);
  const look = async () => {
    // One after the other: a slow answer is not overtaken by a later one.
    if (document.visibilityState === 'visible') await refresh(regions).catch(() => {});
    wait();
  };
  wait();
}

offerCopies();
offerSearch();
showRelativeTimes(document);
countSeconds();
closeMenus();
openTarget();
addEventListener('hashchange', openTarget);
followLive();
keepFresh();
