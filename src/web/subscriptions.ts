// Subscriptions: addresses that get events of a person's projects; the list, the form for a new one, and one of them
// with its example, its secret and its end.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  type ListedSubscription,
  MAX_SUBSCRIPTIONS,
  SECRET_OVERLAP_MS,
  SUBSCRIPTION_FORMATS,
  SUBSCRIPTION_ORIGINS,
  type Subscription,
  type SubscriptionFormat,
  type SubscriptionOrigin,
  WEBHOOK_TYPES,
  type WebhookType,
} from '../core/account/index.ts';
import type { Project } from '../core/project/index.ts';
import { registerSecret } from '../log.ts';
import { type KnownProjects, listKnownProjects, subscribe } from '../services/index.ts';
import {
  NOTHING,
  type ProjectNames,
  renderBadge,
  renderCopyable,
  renderDone,
  renderEmpty,
  renderJoined,
  renderMissing,
  renderMoment,
  renderPlainLine,
  renderSection,
  renderTable,
} from './components.ts';
import { STATES } from './deliveries.ts';
import { describeField, describeGroup, type Form, readForm, renderFault, renderOnceKey, requireOnce } from './forms.ts';
import { type Html, refuseAbsentPage, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const ADDRESS = '/account/subscriptions';

const DONE = {
  added: 'Subscribed. Send an example to see it arrive.',
  example: 'An example is being sent. Its state is below: reload in a few seconds.',
  deleted: 'The subscription was deleted. Nothing more is sent to it.',
};

const TYPE_TEXTS: Readonly<Record<WebhookType, string>> = {
  'issue.created': 'an analysis is done',
  'issue.failed': 'an analysis ended without a result',
  'failure.opened': 'a check fails for a new reason',
  'failure.closed': 'a failing check is fixed, or gone',
  'failure.regressed': 'a fixed check fails again',
  'pull_request.opened': 'Causeway opened a pull request',
  'pull_request.proven': 'its fix was proven in CI',
  'pull_request.merged': 'it was merged',
  'pull_request.closed': 'it was closed without merging',
};

const ORIGIN_TEXTS: Readonly<Record<SubscriptionOrigin, string>> = {
  label: 'GitHub issues',
  check: 'Failed checks',
  api: 'Reports over the API',
};

const FORMATS: Readonly<Record<SubscriptionFormat, readonly [name: string, text: string]>> = {
  standard: ['Standard Webhooks', 'Signed JSON for your own program.'],
  slack: ['Slack', 'A message in a channel: paste the address of an incoming webhook.'],
  teams: ['Teams', 'A card in a channel: paste the address of a workflow “When a Teams webhook request is received”.'],
};

/** GET /account/subscriptions */
export async function getSubscriptions(c: PageContext, deps: WebDeps): Promise<Response> {
  const own = await deps.store.listSubscriptions(c.get('signedIn').account.id);
  const known = await listKnownProjects(deps, c.get('asking'));
  const names = toNames(known);
  const list = renderTable({
    caption: 'Subscriptions, newest first',
    columns: ['To', 'Format', 'Project', 'Events', 'Last delivery', 'State'],
    rows: own.map((one) => [
      html`<a class="mono" href="${ADDRESS}/${one.id}">${one.address}</a>`,
      FORMATS[one.format][0],
      describeProject(one, names),
      describeEvents(one),
      renderLastDelivery(one),
      renderSubscriptionState(one, names, known.isWhole),
    ]),
  });
  const body = html`<div class="title-line"><h1>Subscriptions</h1>
<a class="button primary" href="${ADDRESS}/new">Add a subscription</a></div>
${renderDone(c, DONE)}${renderMissing(known.isWhole)}
<p>Endpoints that receive your projects' events. <a href="/account/deliveries">Deliveries</a> shows what was sent.</p>
${own.length === 0 ? renderEmpty('No subscriptions yet. Add one to get results in Slack, Teams or your own program.') : list}`;
  return renderPage(c, deps, { title: 'Subscriptions', section: 'subscriptions', body });
}

function toNames({ projects }: KnownProjects): ProjectNames {
  return new Map(projects.map(({ id, name }) => [id, sanitiseLine(name, 120)]));
}

function describeProject({ projectId }: Subscription, names: ProjectNames): string {
  return projectId === null ? 'all projects' : (names.get(projectId) ?? 'not visible to you');
}

function describeEvents({ types, origins }: Subscription): Html {
  const all = types.length === WEBHOOK_TYPES.length ? html`all` : null;
  const from = origins.length === SUBSCRIPTION_ORIGINS.length ? [] : origins.map((one) => html`<code>${one}</code>`);
  const codes = renderJoined(types.map((type) => html`<code>${type}</code>`));
  return html`${all ?? codes}${from.length === 0 ? '' : html` <span class="cell-note soft">from ${renderJoined(from)}</span>`}`;
}

function renderLastDelivery({ lastDelivery }: ListedSubscription): Html {
  if (lastDelivery === null) return html`<span class="soft">none yet</span>`;
  const { id, state, error, createdAt } = lastDelivery;
  const why = error === '' ? NOTHING : html` <span class="cell-note">${renderPlainLine(error)}</span>`;
  return html`${renderBadge(...STATES[state])} <a href="/account/deliveries/${id}">${renderMoment(createdAt)}</a>${why}`;
}

function renderSubscriptionState({ disabled, projectId }: Subscription, names: ProjectNames, isWhole: boolean): Html {
  if (disabled !== null) return renderBadge('turned off by its receiver', 'bad');
  const isLost = projectId !== null && isWhole && !names.has(projectId);
  return isLost ? renderBadge('no access to its project', 'bad') : renderBadge('active', 'good');
}

interface SubscriptionInput {
  readonly url: string;
  readonly format: SubscriptionFormat;
  /** "": all. */
  readonly project: string;
  readonly types: readonly WebhookType[];
  readonly origins: readonly SubscriptionOrigin[];
}

const DEFAULT_INPUT: SubscriptionInput = {
  url: '',
  format: 'standard',
  project: '',
  types: ['issue.created'],
  origins: SUBSCRIPTION_ORIGINS,
};

const FIELD_TEXTS = { url: 'Address', format: 'Format', project: 'Project', type: 'Events', origin: 'From' } as const;
type SubscriptionField = keyof typeof FIELD_TEXTS;
type SubscriptionFaults = Partial<Record<SubscriptionField, string>>;

/** GET /account/subscriptions/new */
export async function getSubscriptionForm(c: PageContext, deps: WebDeps): Promise<Response> {
  const known = await listKnownProjects(deps, c.get('asking'));
  return renderSubscriptionForm(c, deps, { known, input: DEFAULT_INPUT, faults: {}, sent: null });
}

/** POST /account/subscriptions: one that is signed answers with its secret, which must not be in any address. */
export async function postSubscription(c: PageContext, deps: WebDeps): Promise<Response> {
  const sent = await readForm(c);
  const known = await listKnownProjects(deps, c.get('asking'));
  const { input, faults } = parseInput(sent, known.projects, deps);
  if (Object.keys(faults).length > 0) return renderSubscriptionForm(c, deps, { known, input, faults, sent });
  const { project, ...chosen } = input;
  const wanted = { ...chosen, projectId: project || null, accountId: c.get('signedIn').account.id };
  const made = await subscribe(deps, wanted, { once: requireOnce(c, deps, sent) });
  switch (made.kind) {
    case 'full':
      throw new WebRefusal(409, `You have ${MAX_SUBSCRIPTIONS} subscriptions, which is the limit. Delete one first.`);
    case 'repeated':
      throw new WebRefusal(409, 'This form was already sent. The subscription is in the list of subscriptions.');
    case 'added':
      if (made.secret === '') return c.redirect(`${ADDRESS}/${made.id}?done=added`, 303);
      return renderSigningSecret(c, deps, { id: made.id, secret: made.secret, notice: 'Subscribed.' });
  }
}

/** `projects`: those that the person sees; all others are unknown here. */
function parseInput(
  form: Form,
  projects: readonly Project[],
  { checkCallbackUrl }: WebDeps,
): { readonly input: SubscriptionInput; readonly faults: SubscriptionFaults } {
  const url = form.text('url').trim();
  const project = form.text('project');
  const format = SUBSCRIPTION_FORMATS.find((one) => one === form.text('format'));
  const types = WEBHOOK_TYPES.filter((type) => form.all('type').includes(type));
  const origins = SUBSCRIPTION_ORIGINS.filter((origin) => form.all('origin').includes(origin));
  const verdict = url === '' ? null : checkCallbackUrl(url, 'The address');
  const faults: SubscriptionFaults = {};
  if (verdict === null) faults.url = 'Enter an address.';
  else if (!verdict.ok) faults.url = describeAddressFault(verdict);
  if (format === undefined) faults.format = 'Choose one of these.';
  if (project !== '' && !projects.some(({ id }) => id === project)) {
    faults.project = 'You no longer have access to this project: choose again.';
  }
  if (types.length === 0) faults.type = 'Choose at least one event.';
  if (origins.length === 0) faults.origin = 'Choose at least one.';
  return { input: { url, format: format ?? 'standard', project, types, origins }, faults };
}

/** Of the usual mistakes what to write instead; the others explain themselves. */
const ADDRESS_REPAIRS: Readonly<Record<string, string>> = {
  https: 'Use https://.',
  port: 'Use port 443 or 8443.',
  name: 'Use a host name that the internet knows.',
};

function describeAddressFault({
  rules,
  detail,
}: {
  readonly rules: readonly string[];
  readonly detail: string;
}): string {
  const repairs = rules.map((rule) => (Object.hasOwn(ADDRESS_REPAIRS, rule) ? ADDRESS_REPAIRS[rule] : undefined));
  if (repairs.includes(undefined)) return sanitiseLine(detail, 1_000);
  return `${repairs.join(' ')} Your administrator can allow other hosts.`;
}

interface SubscriptionFormState {
  readonly known: KnownProjects;
  readonly input: SubscriptionInput;
  readonly faults: SubscriptionFaults;
  /** As it was sent, where it is shown again. */
  readonly sent: Form | null;
}

function renderSubscriptionForm(
  c: PageContext,
  deps: WebDeps,
  { known, input, faults, sent }: SubscriptionFormState,
): Promise<Response> {
  const hasFaults = Object.keys(faults).length > 0;
  const body = html`${renderMissing(known.isWhole)}<h1>Add a subscription</h1>
${hasFaults ? renderSubscriptionFaults(faults) : ''}
<form method="post" action="${ADDRESS}" autocomplete="off">${renderFormToken(c.get('signedIn'))}${renderOnceKey(sent)}
<div class="field"><label for="url">Address</label><p class="hint" id="url-hint">https, and reachable from the internet. It is stored encrypted; afterwards only its host and last four characters are shown.</p>
${renderFault('url', faults.url)}
<input id="url" name="url" value="${sanitiseLine(input.url, 2_048)}" required maxlength="2048" inputmode="url" spellcheck="false"${describeField('url', faults.url)}></div>
<fieldset class="field" id="format" tabindex="-1"${describeGroup('format', faults.format)}><legend>Format</legend>${renderFault('format', faults.format)}
${SUBSCRIPTION_FORMATS.map((each) => renderChoice('format', each, { isChosen: each === input.format, text: html`${FORMATS[each][0]} <span class="hint">${FORMATS[each][1]}</span>` }))}</fieldset>
${renderSubscriptionProjects(known.projects, input, faults)}
<fieldset class="field" id="type" tabindex="-1"${describeGroup('type', faults.type)}><legend>Events</legend>${renderFault('type', faults.type)}
${WEBHOOK_TYPES.map((each) => renderChoice('type', each, { isChosen: input.types.includes(each), text: html`<code>${each}</code> ${TYPE_TEXTS[each]}` }))}</fieldset>
<fieldset class="field" id="origin" tabindex="-1"${describeGroup('origin', faults.origin)}><legend>From</legend>${renderFault('origin', faults.origin)}
${SUBSCRIPTION_ORIGINS.map((each) => renderChoice('origin', each, { isChosen: input.origins.includes(each), text: html`${ORIGIN_TEXTS[each]}` }))}</fieldset>
<p class="actions"><button class="primary">Add subscription</button> <a href="${ADDRESS}">Cancel</a></p></form>`;
  const title = `${hasFaults ? 'Not added: ' : ''}Add a subscription`;
  const crumbs = toCrumbs('Add a subscription');
  return renderPage(c, deps, { title, section: 'subscriptions', crumbs, status: hasFaults ? 422 : 200, body });
}

/** Above the form, since a faulty field may be out of sight. */
function renderSubscriptionFaults(faults: SubscriptionFaults): Html {
  const fields = (Object.keys(FIELD_TEXTS) as SubscriptionField[]).filter((field) => faults[field] !== undefined);
  return html`<div class="notice bad" role="alert"><p>Couldn't add the subscription:</p><ul>${fields.map(
    (field) => html`<li><a href="#${field}">${FIELD_TEXTS[field]}</a>: ${faults[field]}</li>`,
  )}</ul></div>`;
}

function renderChoice(
  name: 'format' | 'type' | 'origin',
  value: string,
  { isChosen, text }: { readonly isChosen: boolean; readonly text: Html },
): Html {
  const id = `${name}-${value.replace(/[._]/g, '-')}`;
  const kind = name === 'format' ? 'radio' : 'checkbox';
  return html`<div class="choice"><input type="${kind}" id="${id}" name="${name}" value="${value}"${isChosen ? ' checked' : ''}>
<label for="${id}">${text}</label></div>`;
}

function renderSubscriptionProjects(
  projects: readonly Project[],
  { project }: SubscriptionInput,
  faults: SubscriptionFaults,
): Html {
  const options = projects.map(
    ({ id, name }) =>
      html`<option value="${id}"${id === project ? ' selected' : ''}>${sanitiseLine(name, 150)}</option>`,
  );
  return html`<div class="field"><label for="project">Project</label>${renderFault('project', faults.project)}
<select id="project" name="project"${describeField('project', faults.project)}><option value=""${project === '' ? ' selected' : ''}>All projects, including future ones</option>${options}</select>
<p class="hint" id="project-hint">Whether you can see it is checked before each delivery.</p></div>`;
}

/** GET /account/subscriptions/{id} */
export async function getSubscription(c: PageContext, deps: WebDeps): Promise<Response> {
  const one = await requireOwnSubscription(c, deps);
  const known = await listKnownProjects(deps, c.get('asking'));
  const names = toNames(known);
  const token = renderFormToken(c.get('signedIn'));
  const target = `${ADDRESS}/${one.id}`;
  const example = html`<form method="post" action="${target}/example" class="actions">${token}<button class="primary">Send an example</button><span class="hint">Sends a sample event.</span></form>`;
  const off = html`<p class="notice">Its receiver answered 410 ${renderMoment(one.disabled?.at ?? '')}, so nothing more is sent to it. Delete it and add another.</p>`;
  const rotate = html`<p>It verifies that a webhook comes from Causeway. It was shown once, when the subscription was added.</p>
<form method="post" action="${target}/rotate" class="actions">${token}${renderOnceKey()}<button>Rotate the secret</button><span class="hint">Both sign for 24 hours, so that the receiver can switch over.</span></form>`;
  const body = html`<h1>Subscription</h1>
${renderDone(c, DONE)}${renderMissing(known.isWhole)}
<dl class="facts"><dt>To</dt><dd class="mono long">${one.address}</dd><dt>Format</dt><dd>${FORMATS[one.format][0]}</dd>
<dt>Project</dt><dd>${describeProject(one, names)}</dd><dt>Events</dt><dd>${describeEvents(one)}</dd>
<dt>State</dt><dd>${renderSubscriptionState(one, names, known.isWhole)}</dd><dt>Last delivery</dt><dd>${renderLastDelivery(one)}</dd>
<dt>Added</dt><dd>${renderMoment(one.createdAt)}</dd></dl>
${one.disabled === null ? example : off}
${one.format === 'standard' ? renderSection('secret', 'Signing secret', rotate) : ''}
${renderSection(
  'delete',
  'Delete',
  html`<form method="post" action="${target}/delete" class="actions">${token}<button class="danger">Delete this subscription</button><span class="hint">Nothing more is sent, including deliveries that are being retried.</span></form>`,
)}`;
  const title = `Subscription ${one.address}`;
  return renderPage(c, deps, { title, section: 'subscriptions', crumbs: toCrumbs(one.address), body });
}

async function requireOwnSubscription(c: PageContext, { store }: WebDeps): Promise<ListedSubscription> {
  const id = c.req.param('subscriptionId') ?? '';
  const isKnown = /^sub_[0-9A-Za-z]{1,32}$/.test(id);
  const found = isKnown ? await store.findSubscription(id, c.get('signedIn').account.id) : null;
  return found ?? refuseAbsentPage();
}

/** POST /account/subscriptions/{id}/example */
export async function postExample(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const { id, accountId } = await requireOwnSubscription(c, deps);
  const sent = (await deps.store.sendExample(id, accountId, deps.now().toISOString())) ?? refuseAbsentPage();
  if (sent === 'busy')
    throw new WebRefusal(409, 'An example is being sent already. Wait until it has arrived or failed.');
  if (sent === 'disabled')
    throw new WebRefusal(409, 'Its receiver answered 410, so nothing is sent to it. Delete it and add another.');
  return c.redirect(`${ADDRESS}/${id}?done=example`, 303);
}

/** POST /account/subscriptions/{id}/rotate: counts once, since a second one retires what receivers still use. */
export async function postRotateSubscription(c: PageContext, deps: WebDeps): Promise<Response> {
  const once = requireOnce(c, deps, await readForm(c));
  const { id, accountId } = await requireOwnSubscription(c, deps);
  const secret = deps.newSigningSecret();
  registerSecret(secret);
  const now = deps.now();
  const overlapUntil = new Date(now.getTime() + SECRET_OVERLAP_MS).toISOString();
  const rotation = { accountId, secret, overlapUntil, once, now: now.toISOString() };
  const rotated = await deps.store.rotateSubscriptionSecret(id, rotation);
  if (rotated === 'absent') refuseAbsentPage();
  if (rotated === 'repeated') {
    throw new WebRefusal(409, 'This form was already sent, and nothing was rotated a second time.');
  }
  return renderSigningSecret(c, deps, {
    id,
    secret,
    notice: 'The secret was rotated. The previous one signs for 24 more hours.',
  });
}

function renderSigningSecret(
  c: PageContext,
  deps: WebDeps,
  { id, secret, notice }: { readonly id: string; readonly secret: string; readonly notice: string },
): Promise<Response> {
  const title = 'Signing secret';
  const body = html`<div class="keys"><h1>${title}</h1>
<p class="notice good" role="status">${notice}</p>
<p class="notice"><strong>You won’t see it again.</strong> Copy it to your receiver.</p>
${renderCopyable('secret', secret, 'secret')}
<p class="hint">Webhooks are signed as in <a href="https://www.standardwebhooks.com/" rel="noreferrer">Standard Webhooks</a>, for which there are libraries.</p>
<p><a class="button primary" href="${ADDRESS}/${id}">Go to the subscription</a></p></div>`;
  return renderPage(c, deps, { title, section: 'subscriptions', crumbs: toCrumbs(title), body });
}

/** POST /account/subscriptions/{id}/delete */
export async function postDeleteSubscription(c: PageContext, deps: WebDeps): Promise<Response> {
  await readForm(c);
  const { id, accountId } = await requireOwnSubscription(c, deps);
  await deps.store.deleteSubscription(id, accountId, deps.now().toISOString());
  return c.redirect(`${ADDRESS}?done=deleted`, 303);
}

function toCrumbs(text: string) {
  return [
    { text: 'Subscriptions', href: ADDRESS },
    { text, href: '' },
  ];
}
