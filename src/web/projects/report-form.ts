// The form of a report: its fields, what is wrong with them, and how it looks with what was typed.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import { MAX_REPORT_BYTES } from '../../core/report.ts';
import { formTokenField } from '../form-token.ts';
import type { Form } from '../read-form.ts';
import type { Html } from '../show.ts';
import type { SignedIn } from '../web-deps.ts';

const CONTROL = /[\u0000-\u001f\u007f]/;

/** What was typed. */
export interface ReportFields {
  readonly text: string;
  readonly revision: string;
  readonly reference: string;
  readonly fresh: boolean;
}

export type Faults = Partial<Record<'text' | 'revision' | 'reference', string>>;

export const EMPTY_FIELDS: ReportFields = { text: '', revision: '', reference: '', fresh: false };

export function fieldsOf(form: Form): ReportFields {
  return {
    text: form.text('text'),
    revision: form.text('revision').trim(),
    reference: form.text('reference').trim(),
    fresh: form.text('fresh') !== '',
  };
}

/** The same bounds as the API's. */
export function faultsOf({ text, revision, reference }: ReportFields): Faults {
  const textFault = faultOfText(text);
  const revisionFault = faultOfRevision(revision);
  const length = [...reference].length;
  return {
    ...(textFault === '' ? {} : { text: textFault }),
    ...(revisionFault === '' ? {} : { revision: revisionFault }),
    ...(length > 200 ? { reference: `Has ${length} characters, and may have 200: shorten it.` } : {}),
  };
}

function faultOfText(text: string): string {
  if (!/\S/.test(text)) return 'Is empty: say what goes wrong, or paste the log.';
  if (Buffer.byteLength(text) > MAX_REPORT_BYTES) return 'Is larger than 1 MiB: keep the part around the error.';
  return '';
}

function faultOfRevision(revision: string): string {
  if (CONTROL.test(revision)) return 'Holds a character that no branch, tag or commit has: type it anew.';
  return [...revision].length > 255 ? 'Is longer than 255 characters: give a branch, a tag or a sha.' : '';
}

export interface ReportForm {
  readonly project: Project;
  readonly signedIn: SignedIn;
  /** By it the same form sent twice is known. */
  readonly key: string;
  readonly fields: ReportFields;
  readonly faults: Faults;
  /** What it may cost. */
  readonly cost: Html;
}

export function reportForm({ project, signedIn, key, fields, faults, cost }: ReportForm): Html {
  return html`<form method="post" action="/projects/${project.id}/reports" novalidate>${formTokenField(signedIn)}
<input type="hidden" name="form_key" value="${key}">
${textField(fields.text, faults.text)}
${lineField({ name: 'revision', label: 'Revision (optional)', hint: revisionHint(project) }, fields.revision, faults.revision)}
${lineField({ name: 'reference', label: 'Reference (optional)', hint: html`Your own name for it, such as the number of an alert. It stands beside what is found.` }, fields.reference, faults.reference)}
<div class="field choice"><input type="checkbox" id="fresh" name="fresh" value="yes"${fields.fresh ? ' checked' : ''} aria-describedby="fresh-hint">
<div><label for="fresh">Look into it anew</label>
<p class="hint" id="fresh-hint">Otherwise an equal report of the last 24 hours is answered from what was found then, at no cost.</p></div></div>
<p class="hint">${cost}</p>
<p class="actions"><button class="primary">Hand in the report</button> <a class="button" href="/projects/${project.id}">Cancel</a></p></form>`;
}

/** A browser takes away the first line end after the tag: this one, and none of the report's. */
function textField(text: string, fault: string | undefined): Html {
  return html`<div class="field"><label for="text">Report or log</label>
<p class="hint" id="text-hint">An error message with its stack trace, a log, or what you did, saw and expected. Up to 1 MiB. Secrets are cut out before it is stored.</p>
${faultLine('text', fault)}<textarea id="text" name="text" rows="16" required spellcheck="false"${described('text', fault)}>
${text}</textarea></div>`;
}

interface LineField {
  readonly name: 'revision' | 'reference';
  readonly label: string;
  readonly hint: Html;
}

function lineField({ name, label, hint }: LineField, value: string, fault: string | undefined): Html {
  return html`<div class="field"><label for="${name}">${label}</label><p class="hint" id="${name}-hint">${hint}</p>
${faultLine(name, fault)}<input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" autocapitalize="off" spellcheck="false"${described(name, fault)}></div>`;
}

function faultLine(name: string, fault: string | undefined): Html {
  return fault === undefined ? html`` : html`<p class="fault" id="${name}-fault">${fault}</p>`;
}

function described(name: string, fault: string | undefined): Html {
  if (fault === undefined) return html` aria-describedby="${name}-hint"`;
  return html` aria-invalid="true" aria-describedby="${name}-fault ${name}-hint"`;
}

function revisionHint({ source }: Project): Html {
  const otherwise =
    source.kind !== 'github'
      ? html`the branch that is checked out`
      : html`the default branch${nameOf(source.defaultBranch)}`;
  return html`A branch, a tag or a sha. Left empty: ${otherwise}.`;
}

function nameOf(branch: string): Html {
  return branch === '' ? html`` : html`, <code>${inertLine(branch, 200)}</code>`;
}
