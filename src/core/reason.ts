// Why an investigation waits, ended without a result, or found less than requested: a code with data, and its one text
// for people. Error messages may name hosts, settings or files, so they go only to the log and the terminal.

/** Codes with which an investigation ends without a result. The list is the contract of the `issue.failed` webhook. */
export type FailureCode =
  | 'revision_not_found'
  | 'repository_empty'
  | 'repository_unreachable'
  | 'access_lost'
  | 'cancelled'
  | 'internal';

/** As the API, the webhook and GitHub show it. */
export interface FailureReason {
  readonly code: FailureCode;
  /** One or two sentences for people: what happened, and what they can do about it. */
  readonly detail: string;
}

/** Why there is no result. */
export type EndReason =
  | { readonly code: 'revision_not_found'; readonly revision?: string; readonly defaultBranch?: string }
  | {
      readonly code:
        | Exclude<FailureCode, 'revision_not_found'>
        | 'project_forgotten'
        | 'stopped_by_command'
        | 'replaced'
        | 'subject_gone';
    }
  | { readonly code: 'took_too_long'; readonly seconds: number };

/** Why there is a result, but less than requested. */
export type CutReason =
  | {
      readonly code:
        | 'model_unavailable'
        | 'model_rejected'
        | 'model_refused'
        | 'model_misbehaved'
        | 'model_script_ended'
        | 'model_overflow'
        | 'no_conclusion'
        | 'conclusion_faulty'
        | 'no_tool_call'
        | 'edits_lost';
    }
  | {
      readonly code: 'run_budget';
      readonly unit: 'turns' | 'seconds' | 'tokens' | 'usd';
      readonly limit: number;
      /**
       * `concluding`: the model was asked to conclude. `over`: no further request was possible. `unspent`: not even the
       * first one.
       */
      readonly phase: 'concluding' | 'over' | 'unspent';
    }
  | { readonly code: 'month_budget'; readonly of: 'repository' | 'all'; readonly usd: number }
  | { readonly code: 'answer_refused'; readonly why: Refusal }
  | { readonly code: 'claims_dropped'; readonly dropped: number; readonly given: number }
  | { readonly code: 'quotes_not_found'; readonly missing: number; readonly given: number };

/** Why the review refused an answer of the model, of which nothing is shown. */
export type Refusal =
  /** It is true, and has nothing to do with the check that failed. */
  'other_failure' | 'cause_unquoted' | 'report_only' | 'no_fixing_commit' | 'fix_unquoted' | 'intent_unquoted';

export type StopReason = EndReason | CutReason;

/** What a waiting run waits for. */
export type WaitCode = 'model_unavailable' | 'repository_unreachable' | 'disk_full';

/** `operator`: people outside cannot act on it, so there is no text for them. */
export function getAudience({ code }: StopReason): 'people' | 'operator' {
  return code === 'quotes_not_found' ? 'operator' : 'people';
}

/** Names no host, setting, file or command of the machine. "" if it concerns only the operator. */
export function describeForPeople(reason: StopReason): string {
  if (getAudience(reason) === 'operator') return '';
  switch (reason.code) {
    case 'revision_not_found':
      return createRevisionNotFound(reason);
    case 'took_too_long':
      return `The investigation was stopped after ${reason.seconds} seconds. Try again with a shorter report.`;
    case 'run_budget':
      return describeRunBudget(reason);
    case 'month_budget':
      return reason.of === 'repository'
        ? `This repository's monthly budget of $${reason.usd} is used up.`
        : `The monthly budget of $${reason.usd} for all repositories is used up.`;
    case 'answer_refused':
      return REFUSALS[reason.why];
    case 'claims_dropped':
      return `${reason.dropped} of ${reason.given} claims were left out because nothing found supports them.`;
    case 'quotes_not_found':
      return '';
    default:
      return TEXTS[reason.code];
  }
}

type PlainCode = Exclude<
  StopReason['code'],
  | 'revision_not_found'
  | 'took_too_long'
  | 'run_budget'
  | 'month_budget'
  | 'answer_refused'
  | 'claims_dropped'
  | 'quotes_not_found'
>;

const TEXTS: Readonly<Record<PlainCode, string>> = {
  repository_empty: 'The repository has no commit yet. Add a first commit, then try again.',
  repository_unreachable: "The repository couldn't be read. The operator of this service can see why in its log.",
  access_lost:
    'Access to the repository was lost during the investigation: the App was uninstalled or suspended, or the repository was removed from it. Install it again, then try again.',
  project_forgotten: 'The project is no longer known here. Add it again, then try again.',
  cancelled: 'The investigation was cancelled before it ended.',
  stopped_by_command: 'Stopped with `/analyse stop`.',
  replaced: 'A newer request on the same subject replaced it.',
  subject_gone: 'The issue was deleted or moved to another repository.',
  internal: 'Causeway failed because of an internal error. Try again; the operator can find the details in the log.',
  model_unavailable: "The language model wasn't available.",
  model_rejected: "The language model couldn't be used. The operator of this service can see why in its log.",
  model_refused: 'The language model declined to answer.',
  model_misbehaved: 'The language model gave no usable answer.',
  model_script_ended: 'A script plays the language model here, and it has no answer for this.',
  model_overflow: 'The investigation became too long for the language model.',
  no_conclusion: 'The language model gave no conclusion.',
  conclusion_faulty: "The language model's conclusion still had errors after one correction.",
  no_tool_call: 'The language model stopped investigating without a conclusion.',
  edits_lost: "The investigation was interrupted, and its edits couldn't be restored. Try again.",
};

const REFUSALS: Readonly<Record<Refusal, string>> = {
  other_failure: "The model's answer wasn't about this failure and was discarded.",
  cause_unquoted: "The model's answer was discarded: it quotes nothing that shows the cause.",
  report_only: "The model's answer was discarded: it quotes only the report, nothing from the repository.",
  no_fixing_commit: "The model's answer was discarded: it names no commit of the history as the fix.",
  fix_unquoted: "The model's answer was discarded: it quotes nothing from the repository that shows the fix.",
  intent_unquoted: "The model's answer was discarded: it quotes nothing from the repository that shows the intent.",
};

function createRevisionNotFound({
  revision = '',
  defaultBranch = '',
}: Extract<EndReason, { code: 'revision_not_found' }>) {
  const missing =
    revision === '' ? "The commit wasn't found." : `There is no branch, tag or commit "${revision}" here.`;
  return `${missing} Leave the revision out${defaultBranch === '' ? '' : ` to use ${defaultBranch}`}, or give a branch, a tag, or at least 7 digits of a commit's id.`;
}

function describeRunBudget(reason: Extract<CutReason, { code: 'run_budget' }>): string {
  const budget = formatBudget(reason);
  switch (reason.phase) {
    case 'concluding':
      return `The investigation neared its budget of ${budget}, so the model was asked to conclude.`;
    case 'over':
      return `The investigation used up its budget of ${budget}.`;
    case 'unspent':
      return `The investigation's budget of ${budget} is too small for one question, so the model wasn't asked.`;
  }
}

function formatBudget({ unit, limit }: Extract<CutReason, { code: 'run_budget' }>): string {
  return unit === 'usd' ? `$${limit}` : `${limit.toLocaleString('en')} ${unit}`;
}

/** For log and terminal. `detail`: the error's message; without it, names the setting that decides. */
export function describeForOperator(reason: StopReason, detail = ''): string {
  if (detail !== '') return detail;
  if (reason.code === 'quotes_not_found')
    return `${reason.missing} of ${reason.given} quotations of the model were not found in what it cited.`;
  const setting = findSetting(reason);
  return `${describeForPeople(reason)}${setting === '' ? '' : ` (${setting})`}`;
}

function findSetting(reason: StopReason): string {
  switch (reason.code) {
    case 'took_too_long':
      return 'INVESTIGATION_TIMEOUT_S';
    case 'run_budget':
      return { usd: 'BUDGET_RUN', seconds: 'INVESTIGATION_TIMEOUT_S', tokens: '', turns: '' }[reason.unit];
    case 'month_budget':
      return reason.of === 'repository' ? 'BUDGET_REPOSITORY_MONTH' : 'BUDGET_MONTH';
    default:
      return '';
  }
}

const FAILURES: Readonly<Record<EndReason['code'], FailureCode>> = {
  revision_not_found: 'revision_not_found',
  repository_empty: 'repository_empty',
  repository_unreachable: 'repository_unreachable',
  access_lost: 'access_lost',
  project_forgotten: 'access_lost',
  cancelled: 'cancelled',
  stopped_by_command: 'cancelled',
  replaced: 'cancelled',
  subject_gone: 'cancelled',
  internal: 'internal',
  took_too_long: 'internal',
};

export function createFailureReason(reason: EndReason): FailureReason {
  return { code: FAILURES[reason.code], detail: describeForPeople(reason) };
}

/** Continues "Waiting for". */
export function describeWaitReason(code: WaitCode): string {
  return {
    model_unavailable: 'the language model',
    repository_unreachable: 'the repository',
    disk_full: 'disk space',
  }[code];
}
