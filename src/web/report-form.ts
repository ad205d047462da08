// A report submitted by form: accepted in the same way as the API's, and once however often the form is sent.
import { createHash } from 'node:crypto';
import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { describeNoSpace } from '../core/disk.ts';
import { CausewayError } from '../core/errors.ts';
import { formatDollars } from '../core/issue/index.ts';
import { isAtLeast, type Project } from '../core/project/index.ts';
import { MAX_REPORT_BYTES } from '../core/report/index.ts';
import { acceptReport, type SeenProject } from '../services/index.ts';
import { createCrumbs, findSeenProject } from './components.ts';
import { createOnceKey, describeField, type Form, readForm, readOnceKey, renderFault } from './forms.ts';
import { type Html, renderFormToken, renderPage, WebRefusal } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const CONTROL = /[\u0000-\u001f\u007f]/;

interface ReportFields {
  readonly text: string;
  readonly revision: string;
  readonly reference: string;
  readonly fresh: boolean;
}

type ReportFaults = Partial<Record<'text' | 'revision' | 'reference', string>>;

/**
 * What the form shows: what was typed, and why it was not accepted. Its key stays unless it was used, so that a double
 * click cannot become two.
 */
interface ReportFormState {
  readonly seen: SeenProject;
  readonly fields: ReportFields;
  readonly key: string;
  readonly faults?: ReportFaults;
  readonly message?: string;
  readonly status?: 400 | 409 | 429 | 503;
}

type RefusedReport = Pick<ReportFormState, 'faults'> & {
  readonly message: string;
  readonly status: 400 | 409 | 429 | 503;
  readonly key?: string;
};

/** GET /projects/{projectId}/reports/new */
export async function getReportForm(c: PageContext, deps: WebDeps): Promise<Response> {
  const fields = { text: '', revision: '', reference: '', fresh: false };
  return renderReportForm(c, deps, { seen: await requireReportable(c, deps), fields, key: createOnceKey() });
}

/** POST /projects/{projectId}/reports */
export async function postReport(c: PageContext, deps: WebDeps): Promise<Response> {
  const form = await readForm(c, 'report');
  const seen = await requireReportable(c, deps);
  const state = { seen, fields: readReportFields(form), key: readOnceKey(form) };
  const result = await submitReport(c, deps, state);
  if (typeof result === 'string') return c.redirect(`/investigations/${result}`, 303);
  return renderReportForm(c, deps, { ...state, ...result });
}

/** Read access does not suffice: an investigation costs money. */
async function requireReportable(c: PageContext, deps: WebDeps): Promise<SeenProject> {
  const seen = await findSeenProject(c, deps);
  if (isAtLeast(seen.role, 'triage')) return seen;
  throw new WebRefusal(403, 'Submitting a report needs the triage role in this repository on GitHub: ask an admin.');
}

function readReportFields(form: Form): ReportFields {
  return {
    text: form.text('text'),
    revision: form.text('revision').trim(),
    reference: form.text('reference').trim(),
    fresh: form.text('fresh') !== '',
  };
}

/** The id of the investigation, or why nothing was submitted. */
async function submitReport(c: PageContext, deps: WebDeps, state: ReportFormState): Promise<RefusedReport | string> {
  const { seen, fields, key } = state;
  const faults = findFaults(fields);
  if (Object.keys(faults).length > 0) {
    return { message: 'Nothing was submitted: see the marked fields.', status: 400, faults };
  }
  if (key === '') {
    const message = 'The form was incomplete. Nothing was submitted; please try again.';
    return { message, status: 400, key: createOnceKey() };
  }
  const { account } = c.get('signedIn');
  const { allowed, retryAfter } = deps.limiter.take(account.id, 'creation', deps.now());
  if (!allowed) return { message: `Too many reports within a minute: try again in ${retryAfter} s.`, status: 429 };
  const shortage = await deps.room();
  if (shortage !== null) return { message: describeNoSpace(shortage), status: 503 };
  const report = {
    ...fields,
    projectId: seen.project.id,
    accountId: account.id,
    origin: 'api',
    callbackUrl: '',
    isTrusted: isAtLeast(seen.role, 'write'),
  } as const;
  // A double click and a reload send the same key with the same text.
  const words = JSON.stringify([report.projectId, fields.text, fields.revision, fields.reference, fields.fresh]);
  const idempotency = { key: `form ${key}`, bodyHash: createHash('sha256').update(words).digest('hex') };
  try {
    const { investigation: settings } = await deps.settingsOf(seen.project, c.get('asking').signal);
    const accepted = await acceptReport(deps, { ...report, settings }, { idempotency, by: account });
    if (accepted.kind !== 'key_reused') return accepted.investigationId;
    const message = 'This form was already submitted with different text. To submit this one too, send it again.';
    return { message, status: 409, key: createOnceKey() };
  } catch (error) {
    return toReportRefusal(error);
  }
}

/** Throws what is not a reason to try again later. */
function toReportRefusal(error: unknown): RefusedReport {
  const code = error instanceof CausewayError ? error.code : '';
  if (code === 'too_many_waiting') return { message: (error as CausewayError).message, status: 429 };
  if (code !== 'github_failed') throw error;
  return { message: 'GitHub is not answering, and nothing was submitted. Try again in a minute.', status: 503 };
}

/** The same limits as the API's. */
function findFaults({ text, revision, reference }: ReportFields): ReportFaults {
  const faults: ReportFaults = {};
  if (!/\S/.test(text)) faults.text = 'This is empty: describe what goes wrong, or paste the log.';
  if (Buffer.byteLength(text) > MAX_REPORT_BYTES)
    faults.text = 'This is larger than 1 MiB: keep the part around the error.';
  if ([...revision].length > 255)
    faults.revision = 'This is longer than 255 characters: give a branch, a tag or a sha.';
  if (CONTROL.test(revision)) faults.revision = 'This contains a control character: type it again.';
  const length = [...reference].length;
  if (length > 200) faults.reference = `This has ${length} characters; the limit is 200. Shorten it.`;
  return faults;
}

function renderReportForm(c: PageContext, deps: WebDeps, state: ReportFormState): Promise<Response> {
  const { seen, key, fields, faults = {}, message = '', status } = state;
  const { project } = seen;
  const body = html`<h1>New report</h1>
${message === '' ? '' : html`<p class="notice bad" role="alert">${message}</p>`}
<form method="post" action="/projects/${project.id}/reports" novalidate>${renderFormToken(c.get('signedIn'))}
<input type="hidden" name="form_key" value="${key}">
${renderTextField(fields.text, faults.text)}
${renderInput('revision', renderRevisionHint(project), state)}
${renderInput('reference', html`Your own name for it, such as the number of an alert. It is shown with the result.`, state)}
<div class="field choice"><input type="checkbox" id="fresh" name="fresh" value="yes"${fields.fresh ? ' checked' : ''} aria-describedby="fresh-hint">
<div><label for="fresh">Force a new run</label>
<p class="hint" id="fresh-hint">Otherwise an identical report from the last 24 hours is reused at no cost.</p></div></div>
<p class="hint">${describeModelCost(deps)}</p>
<p class="actions"><button class="primary">Start investigation</button> <a class="button" href="/projects/${project.id}">Cancel</a></p></form>`;
  const crumbs = createCrumbs(project, { text: 'New report', href: `/projects/${project.id}/reports/new` });
  const title = `${message === '' ? '' : 'Not submitted: '}New report · ${project.name}`;
  return renderPage(c, deps, { title, body, section: 'projects', crumbs, ...(status === undefined ? {} : { status }) });
}

function describeModelCost({ modelName, budget }: WebDeps): string {
  if (modelName === null) return "No model configured: you'll get search results only, free of charge.";
  return `An investigation costs at most ${formatDollars(budget.run)}.`;
}

function renderTextField(text: string, fault: string | undefined): Html {
  // A browser drops the first line end after the tag: this one, and none of the report's.
  return html`<div class="field"><label for="text">Report or log</label>
<p class="hint" id="text-hint">An error message with its stack trace, a log, or what you did, saw and expected. Up to 1 MiB. Secrets are removed before it is stored.</p>
${renderFault('text', fault)}<textarea id="text" name="text" rows="16" required spellcheck="false"${describeField('text', fault)}>
${text}</textarea></div>`;
}

function renderInput(name: 'revision' | 'reference', hint: Html, { fields, faults = {} }: ReportFormState): Html {
  const label = name === 'revision' ? 'Revision' : 'Reference';
  return html`<div class="field"><label for="${name}">${label} (optional)</label><p class="hint" id="${name}-hint">${hint}</p>
${renderFault(name, faults[name])}<input type="text" id="${name}" name="${name}" value="${fields[name]}" autocomplete="off" autocapitalize="off" spellcheck="false"${describeField(name, faults[name])}></div>`;
}

function renderRevisionHint({ source }: Project): Html {
  if (source.kind !== 'github') return html`A branch, a tag or a sha. Default: the branch that is checked out.`;
  const name = source.defaultBranch === '' ? html`` : html`, <code>${sanitiseLine(source.defaultBranch, 200)}</code>`;
  return html`A branch, a tag or a sha. Default: the default branch${name}.`;
}
