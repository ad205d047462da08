// A report handed in by form: the same road as that of the API, and once however often the form is sent.
import { createHash, randomBytes } from 'node:crypto';
import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import { noRoomText } from '../../core/disk.ts';
import { CausewayError } from '../../core/errors.ts';
import type { Project } from '../../core/project.ts';
import type { Report } from '../../core/report.ts';
import { isAtLeast } from '../../core/role.ts';
import type { InvestigationSettings } from '../../core/settings.ts';
import type { Accepted } from '../../db/store.ts';
import { acceptReport, type Idempotency } from '../../services/accept-report.ts';
import { readForm } from '../read-form.ts';
import { WebRefusal } from '../refusal.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { dollars } from '../words.ts';
import { EMPTY_FIELDS, type Faults, faultsOf, fieldsOf, type ReportFields, reportForm } from './report-form.ts';
import { crumbsOf, type SeenProject, seenProject } from './seen-project.ts';

const KEY = /^[\w-]{22}$/;

/** GET /projects/{projectId}/reports/new */
export function getReportForm(deps: WebDeps): Handler<WebEnv> {
  return async (c) => showForm(c, deps, { seen: await usableProject(c, deps), fields: EMPTY_FIELDS, key: newKey() });
}

/** POST /projects/{projectId}/reports */
export function postReport(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const form = await readForm(c, 'report');
    const seen = await usableProject(c, deps);
    const given = { seen, fields: fieldsOf(form), key: form.text('form_key') };
    const accepted = await acceptForm(c, deps, given);
    if (accepted.kind === 'accepted') return c.redirect(`/investigations/${accepted.investigationId}`, 303);
    return showForm(c, deps, { ...given, ...accepted });
  };
}

/** The form as it is shown again, with why nothing was handed in; its key stays unless it was used, so that a double click cannot become two. */
interface Refused {
  readonly kind: 'refused';
  readonly word: string;
  readonly status: 400 | 409 | 429 | 503;
  readonly faults?: Faults;
  readonly key?: string;
}

async function acceptForm(
  c: Context<WebEnv>,
  deps: WebDeps,
  given: Given,
): Promise<Refused | { readonly kind: 'accepted'; readonly investigationId: string }> {
  const faults = faultsOf(given.fields);
  if (Object.keys(faults).length > 0) return { kind: 'refused', word: FAULTY, status: 400, faults };
  if (!KEY.test(given.key)) return { kind: 'refused', word: NOT_WHOLE, status: 400, key: newKey() };
  const { allowed, retryAfter } = deps.limiter.take(c.get('signedIn').account.id, 'creation', deps.now());
  if (!allowed)
    return {
      kind: 'refused',
      word: `Too many reports within a minute: send it again in ${retryAfter} s.`,
      status: 429,
    };
  const shortage = await deps.room();
  if (shortage !== null) return { kind: 'refused', word: noRoomText(shortage), status: 503 };
  const settings = await settingsOf(c, deps, given.seen.project);
  if (settings === null) return { kind: 'refused', word: NOT_REACHED, status: 503 };
  const accepted = await accept(c, deps, { ...given, settings });
  if (accepted.kind === 'too_many_waiting') return { kind: 'refused', word: accepted.word, status: 429 };
  if (accepted.kind === 'key_reused') return { kind: 'refused', word: SENT_BEFORE, status: 409, key: newKey() };
  return { kind: 'accepted', investigationId: accepted.investigationId };
}

const FAULTY = 'Nothing was handed in: see what stands beside the fields.';
const NOT_WHOLE = 'This form is not whole, and nothing was handed in. Send it again.';
const NOT_REACHED = 'GitHub does not answer just now, and nothing was handed in. Send it again in a minute.';
const SENT_BEFORE =
  'This form was sent before with other words, and those were handed in. To hand in these as well, send it again.';

type Shown = Given & Partial<Omit<Refused, 'kind'>>;

function newKey(): string {
  return randomBytes(16).toString('base64url');
}

function showForm(c: Context<WebEnv>, deps: WebDeps, shown: Shown): Promise<Response> {
  const { seen, key, fields, faults = {}, word = '', status } = shown;
  const { project } = seen;
  const body = html`<h1>New report</h1>
${word === '' ? '' : html`<p class="notice bad" role="alert">${word}</p>`}
${reportForm({ project, signedIn: c.get('signedIn'), key, fields, faults, cost: costHint(deps) })}`;
  const crumbs = crumbsOf(project, { text: 'New report', href: `/projects/${project.id}/reports/new` });
  const title = `${word === '' ? '' : 'Not handed in: '}New report · ${project.name}`;
  return show(c, deps, { title, body, section: 'projects', crumbs, ...(status === undefined ? {} : { status }) });
}

function costHint({ modelName, budget }: WebDeps): Html {
  if (modelName === null) return html`No model is configured: what comes of it are facts alone, and it costs nothing.`;
  return html`Investigating it costs ${dollars(budget.run)} at most.`;
}

/** Reading does not suffice: an investigation costs money. */
async function usableProject(c: Context<WebEnv>, deps: WebDeps): Promise<SeenProject> {
  const seen = await seenProject(c, deps);
  if (isAtLeast(seen.role, 'triage')) return seen;
  throw new WebRefusal(
    403,
    'Handing in a report needs the role triage in this repository on GitHub: ask one of its admins.',
  );
}

interface Given {
  readonly seen: SeenProject;
  readonly fields: ReportFields;
  readonly key: string;
}

/** What the project's own configuration says; null: GitHub does not tell it just now. */
async function settingsOf(c: Context<WebEnv>, deps: WebDeps, project: Project): Promise<InvestigationSettings | null> {
  try {
    return (await deps.settingsOf(project, c.get('asking').signal)).investigation;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'github_failed') return null;
    throw error;
  }
}

async function accept(
  c: Context<WebEnv>,
  deps: WebDeps,
  { seen, fields, key, settings }: Given & { readonly settings: InvestigationSettings },
): Promise<Accepted | { readonly kind: 'too_many_waiting'; readonly word: string }> {
  const { project, role } = seen;
  const { account } = c.get('signedIn');
  const report: Report = {
    ...fields,
    projectId: project.id,
    accountId: account.id,
    origin: 'api',
    callbackUrl: '',
    isTrusted: isAtLeast(role, 'write'),
    settings,
  };
  try {
    return await acceptReport(deps, report, { idempotency: idempotencyOf(project.id, fields, key), by: account });
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'too_many_waiting') throw error;
    return { kind: 'too_many_waiting', word: error.message };
  }
}

/** A double click and a reload send the same key with the same words. */
function idempotencyOf(
  projectId: string,
  { text, revision, reference, fresh }: ReportFields,
  key: string,
): Idempotency {
  const words = JSON.stringify([projectId, text, revision, reference, fresh]);
  return { key: `form ${key}`, bodyHash: createHash('sha256').update(words).digest('hex') };
}
