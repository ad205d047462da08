// Creating a token: a form with its faults, and the page that shows the token once, with a first call.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import {
  createToken,
  createTokenRecord,
  DEFAULT_SCOPES,
  hashToken,
  READING_SCOPES,
  SCOPES,
  type TokenRecord,
  type TokenScope,
} from '../core/account/index.ts';
import { quoteLiteral } from '../core/command-words.ts';
import type { Project } from '../core/project/index.ts';
import type { ExampleReport } from '../core/report/index.ts';
import { registerSecret } from '../log.ts';
import { type KnownProjects, listKnownProjects } from '../services/index.ts';
import { renderCopyable, renderJoined, renderMissing, renderMoment } from './components.ts';
import { createCredentialCrumbs } from './credentials.ts';
import { describeField, describeGroup, type Form, readForm, renderFault, renderOnceKey, requireOnce } from './forms.ts';
import { type Html, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const MAX_NAME = 100;
/** After this time only redaction by its form protects the token where its owner puts it into a report. */
const REGISTERED_MS = 60 * 60_000;
/** In the example if the person has no project. */
const NO_PROJECT = 'PROJECT_ID';

/** Days; null: it does not expire. */
const EXPIRIES = { '7': 7, '30': 30, '90': 90, '365': 365, never: null } as const;
type Expiry = keyof typeof EXPIRIES;

const EXPIRY_TEXTS: Readonly<Record<Expiry, string>> = {
  '7': 'in 7 days',
  '30': 'in 30 days',
  '90': 'in 90 days',
  '365': 'in a year',
  never: 'never',
};

const SCOPE_TEXTS: Readonly<Record<TokenScope, string>> = {
  'issues:read': 'Read issues, investigations and their progress.',
  'issues:write': 'Submit reports, stop investigations, and delete issues.',
  'projects:read': 'List your projects.',
  'pull-requests:write': 'Open a pull request from an issue, where you have write access to the repository.',
  'webhooks:write': 'Manage subscriptions: addresses that receive events of your projects.',
};

const FIELD_TEXTS = { name: 'Name', scope: 'Scopes', projects: 'Projects', expiry: 'Expiry' } as const;
type TokenField = keyof typeof FIELD_TEXTS;
/** The fault of each field, in words. */
type TokenFaults = Partial<Record<TokenField, string>>;

/** The form as it was filled in. Texts are sanitised. */
interface TokenInput {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly bound: 'all' | 'chosen';
  /** Chosen ones among those that the person sees. */
  readonly projectIds: readonly string[];
  readonly expiry: Expiry;
}

const DEFAULT_INPUT: TokenInput = {
  name: '',
  scopes: DEFAULT_SCOPES,
  bound: 'all',
  projectIds: [],
  expiry: '90',
};

interface TokenFormState extends Pick<KnownProjects, 'projects' | 'isWhole'> {
  readonly input: TokenInput;
  readonly faults: TokenFaults;
  /** As it was sent, where it is shown again. */
  readonly sent: Form | null;
}

/** GET /account/tokens/new */
export async function getTokenForm(c: PageContext, deps: WebDeps): Promise<Response> {
  const known = await listKnownProjects(deps, c.get('asking'));
  const scopes = c.req.query('for') === 'agent' ? READING_SCOPES : DEFAULT_INPUT.scopes;
  return renderTokenForm(c, deps, { ...known, input: { ...DEFAULT_INPUT, scopes }, faults: {}, sent: null });
}

/** POST /account/tokens: answers with the token itself, not with a redirect, since it must not be in any address. */
export async function postToken(c: PageContext, deps: WebDeps): Promise<Response> {
  const sent = await readForm(c);
  const known = await listKnownProjects(deps, c.get('asking'));
  const { input, faults } = parseTokenForm(sent, known.projects);
  if (Object.keys(faults).length > 0) return renderTokenForm(c, deps, { ...known, input, faults, sent });
  const once = requireOnce(c, deps, sent);
  const record = createTokenRecord(c.get('signedIn').account.id, deps.now(), {
    name: input.name,
    scopes: input.scopes,
    projectIds: input.bound === 'all' ? null : input.projectIds,
    expiresAt: getExpiry(input.expiry, deps.now()),
  });
  const value = createToken();
  registerSecret(value, REGISTERED_MS);
  if ((await deps.store.addToken(record, hashToken(value), { once })) === 'repeated') {
    const message =
      'This form was already sent, and no second token was created. The first one is listed under Security credentials; if you have not copied it, revoke it and create another.';
    throw new WebRefusal(409, message);
  }
  const body = renderCreated(record, value, deps.baseUrl(), chooseExample(record, known.projects, deps));
  const crumbs = createCredentialCrumbs('Your new token');
  return renderPage(c, deps, { title: 'Your new token', section: 'credentials', crumbs, body });
}

/** ISO 8601; null: never. */
function getExpiry(expiry: Expiry, now: Date): string | null {
  const days = EXPIRIES[expiry];
  return days === null ? null : new Date(now.getTime() + days * 24 * 3_600_000).toISOString();
}

/** `projects`: those that the person sees; all others are unknown here. */
function parseTokenForm(
  form: Form,
  projects: readonly Project[],
): { readonly input: TokenInput; readonly faults: TokenFaults } {
  const name = sanitiseLine(form.text('name'), 10 * MAX_NAME);
  const scopes = SCOPES.filter((scope) => form.all('scope').includes(scope));
  const bound = form.text('bound') === 'all' ? 'all' : 'chosen';
  const chosen = [...new Set(form.all('project'))];
  const projectIds = chosen.filter((chosenId) => projects.some(({ id }) => id === chosenId));
  const given = form.text('expiry');
  const isKnownExpiry = Object.hasOwn(EXPIRIES, given);
  const faults: TokenFaults = {};
  if (name === '') faults.name = 'Enter a name, such as that of the program that will use it.';
  if (name.length > MAX_NAME) faults.name = `The name may have at most ${MAX_NAME} characters.`;
  if (scopes.length === 0) faults.scope = 'Choose at least one scope.';
  // `all` together with chosen ones is refused: a wrong guess would give access to too much.
  if (bound === 'all' && chosen.length > 0)
    faults.projects = 'Choose either “all projects” or individual ones, not both.';
  if (bound === 'chosen' && chosen.length === 0) faults.projects = 'Choose at least one project, or “all projects”.';
  if (projectIds.length < chosen.length)
    faults.projects = 'You no longer have access to one of these projects: choose again.';
  if (!isKnownExpiry) faults.expiry = 'Choose one of these.';
  const expiry = isKnownExpiry ? (given as Expiry) : DEFAULT_INPUT.expiry;
  return { input: { name, scopes, bound, projectIds, expiry }, faults };
}

function renderTokenForm(c: PageContext, deps: WebDeps, state: TokenFormState): Promise<Response> {
  const { input, faults, sent, isWhole } = state;
  const hasFaults = Object.keys(faults).length > 0;
  const body = html`${renderMissing(isWhole)}<h1>Create new auth token</h1>
<p class="lead">A token lets a program call the API in your name. It can do no more than you can, and what it sees follows your role in each repository. A coding agent needs <a href="?for=agent">one that only reads</a>.</p>
${hasFaults ? renderTokenFaults(faults) : ''}
<form method="post" action="/account/tokens" autocomplete="off">${renderFormToken(c.get('signedIn'))}${renderOnceKey(sent)}
<div class="field"><label for="name">Name</label><p class="hint" id="name-hint">The program that will use it, so that you know what stops working when you revoke it.</p>
${renderFault('name', faults.name)}
<input id="name" name="name" value="${input.name}" required maxlength="${MAX_NAME}"${describeField('name', faults.name)}></div>
<fieldset class="field" id="scope" tabindex="-1"${describeGroup('scope', faults.scope)}><legend>Scopes</legend>${renderFault('scope', faults.scope)}
${SCOPES.map((scope) => renderScope(scope, input))}</fieldset>
${renderTokenProjects(state)}
${renderExpiry(input, faults, deps.now())}
<p class="actions"><button class="primary">Create token</button> <a href="/account/security-credentials">Cancel</a></p></form>`;
  const title = `${hasFaults ? 'Not created: ' : ''}Create new auth token`;
  const crumbs = createCredentialCrumbs('Create new auth token');
  return renderPage(c, deps, { title, section: 'credentials', crumbs, status: hasFaults ? 422 : 200, body });
}

/** Above the form, since a faulty field may be out of sight. */
function renderTokenFaults(faults: TokenFaults): Html {
  const fields = (Object.keys(FIELD_TEXTS) as TokenField[]).filter((field) => faults[field] !== undefined);
  return html`<div class="notice bad" role="alert"><p>No token was created yet:</p><ul>${fields.map(
    (field) => html`<li><a href="#${field}">${FIELD_TEXTS[field]}</a>: ${faults[field]}</li>`,
  )}</ul></div>`;
}

function renderScope(scope: TokenScope, { scopes }: TokenInput): Html {
  const id = `scope-${scope.replace(':', '-')}`;
  return html`<div class="choice"><input type="checkbox" id="${id}" name="scope" value="${scope}"${scopes.includes(scope) ? ' checked' : ''}>
<label for="${id}"><code>${scope}</code> ${SCOPE_TEXTS[scope]}</label></div>`;
}

function renderTokenProjects({ projects, input, faults }: TokenFormState): Html {
  const { bound, projectIds } = input;
  const boxes = projects.map(({ id, name }) => {
    const checked = projectIds.includes(id) ? ' checked' : '';
    return html`<div class="choice"><input type="checkbox" id="${id}" name="project" value="${id}"${checked}>
<label for="${id}">${sanitiseLine(name, 150)}</label></div>`;
  });
  return html`<fieldset class="field" id="projects" tabindex="-1"${describeGroup('projects', faults.projects)}><legend>Projects</legend>${renderFault('projects', faults.projects)}
<div class="choice"><input type="radio" id="bound-all" name="bound" value="all"${bound === 'all' ? ' checked' : ''}>
<label for="bound-all">All projects, including future ones</label></div>
${
  projects.length === 0
    ? html`<p class="hint">You have no projects.</p>`
    : html`<div class="choice"><input type="radio" id="bound-chosen" name="bound" value="chosen"${bound === 'chosen' ? ' checked' : ''}>
<label for="bound-chosen">Only these:</label></div><div class="choices">${boxes}</div>`
}</fieldset>`;
}

function renderExpiry({ expiry }: TokenInput, faults: TokenFaults, now: Date): Html {
  const options = (Object.keys(EXPIRIES) as Expiry[]).map((each) => {
    const day = getExpiry(each, now)?.slice(0, 10);
    const text = `${EXPIRY_TEXTS[each]}${day === undefined ? '' : ` (${day})`}`;
    return html`<option value="${each}"${each === expiry ? ' selected' : ''}>${text}</option>`;
  });
  return html`<div class="field"><label for="expiry">Expires</label>${renderFault('expiry', faults.expiry)}
<select id="expiry" name="expiry"${describeField('expiry', faults.expiry)}>${options}</select>
<p class="hint" id="expiry-hint">It can be revoked at any time. Tokens without an expiry stay valid if leaked.</p></div>`;
}

/** The token is on the page in one place only, so that no copy of it goes with a command into a shell's history. */
function renderCreated(record: TokenRecord, value: string, baseUrl: string, example: ExampleReport): Html {
  const { expiresAt, scopes, name } = record;
  const call = formatFirstCall(record, baseUrl, example);
  const expiry = expiresAt === null ? html`It does not expire.` : html`It expires on ${renderMoment(expiresAt)}.`;
  return html`<div class="keys"><h1>Your new token</h1>
<p class="notice"><strong>You won’t see it again.</strong> Copy it to where your program finds it: only a hash of it is stored.</p>
${renderCopyable('token', value, 'token')}
<p><strong>${sanitiseLine(name, 100)}</strong> has ${renderJoined(scopes.map((scope) => html`<code>${scope}</code>`))}. ${expiry}</p>
<h2>Try it</h2>
<p>In bash or zsh, this waits for the token without showing it. Paste it there, and press Enter:</p>
${renderCopyable('read', 'read -rs TOKEN', 'command')}
<p>${call.text}</p>
${renderCopyable('call', call.command, 'command')}
<p class="hint">Every call is described at <a href="/docs">/docs</a>.</p>
${READING_SCOPES.every((scope) => scopes.includes(scope)) ? renderAgentSetUp(record, baseUrl) : ''}
<p><a class="button" href="/account/security-credentials">Back to Security credentials</a></p></div>`;
}

/** The line of one client; those of others are documented. */
function renderAgentSetUp({ scopes }: TokenRecord, baseUrl: string): Html {
  const address = quoteLiteral(`${baseUrl}/mcp`);
  const command = `claude mcp add --transport http causeway ${address} \\\n  --header "Authorization: Bearer $TOKEN"`;
  const writes = scopes.includes('issues:write')
    ? html` This token lets it start investigations too; <a href="/account/tokens/new?for=agent">one that only reads</a> is enough to explain red checks.`
    : '';
  return html`<h2>For a coding agent</h2>
<p>An agent that speaks the Model Context Protocol can ask why a check is red, at <code>${baseUrl}/mcp</code>.${writes} In the same terminal, for Claude Code:</p>
${renderCopyable('agent', command, 'command')}`;
}

/**
 * The project with its own example report where the token may see it; else one of the person's, with text of their own.
 */
function chooseExample({ projectIds }: TokenRecord, projects: readonly Project[], { example }: WebDeps): ExampleReport {
  const ids = projectIds ?? projects.map(({ id }) => id);
  if (example !== null && ids.includes(example.projectId)) return example;
  return { projectId: ids[0] ?? NO_PROJECT, data: 'PASTE AN ERROR MESSAGE OR A LOG HERE' };
}

/** The first call that the scopes allow, as a newcomer would start. */
function formatFirstCall({ scopes }: TokenRecord, baseUrl: string, { projectId, data }: ExampleReport) {
  const authorization = '-H "Authorization: Bearer $TOKEN"';
  const formatAddress = (path: string) => quoteLiteral(`${baseUrl}/api/v1/${path}`);
  const joinParts = (...parts: readonly string[]) => parts.join(' \\\n  ');
  if (scopes.includes('issues:write')) {
    const body = `-d ${quoteLiteral(JSON.stringify({ projectId, data }, null, 2))}`;
    const type = "-H 'Content-Type: application/json'";
    const command = joinParts(`curl -i ${formatAddress('issues/')}`, authorization, type, body);
    return { text: 'Then this submits a report; replace "data" with your own:', command };
  }
  if (scopes.includes('projects:read')) {
    const command = joinParts(`curl ${formatAddress('projects/')}`, authorization);
    return { text: 'Then this lists your projects:', command };
  }
  if (scopes.includes('issues:read')) {
    const query = projectId === NO_PROJECT ? '' : `?projectId=${encodeURIComponent(projectId)}`;
    const command = joinParts(`curl ${formatAddress(`investigations/${query}`)}`, authorization);
    return { text: 'Then this lists investigations:', command };
  }
  const command = joinParts(`curl -X POST ${formatAddress('issues/ISSUE_ID/pull-request/')}`, authorization);
  return { text: 'Then this opens a pull request; replace ISSUE_ID with the id of an issue:', command };
}
