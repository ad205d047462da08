// What an address on GitHub names, if it can hold a report: an issue, or a failed Actions run or job.
import { CausewayError } from '../core/errors.ts';

interface InRepository {
  readonly owner: string;
  readonly repo: string;
}

export type ReportAddress = InRepository &
  (
    | { readonly kind: 'issue'; readonly number: number }
    /** `attempt` null: the latest. */
    | { readonly kind: 'run'; readonly runId: number; readonly attempt: number | null }
    | { readonly kind: 'job'; readonly jobId: number }
  );

/** GitHub's own rules for names, so that nothing else reaches a path of the API. */
const NAMES = /^\/([A-Za-z0-9](?:[A-Za-z0-9_-]{0,99}))\/([A-Za-z0-9._-]{1,100})\/(.+?)\/?$/;

const FORMS: readonly { readonly form: RegExp; readonly read: (...ids: number[]) => Named }[] = [
  { form: /^issues\/(\d+)$/, read: (number = 0) => ({ kind: 'issue', number }) },
  { form: /^actions\/runs\/(\d+)$/, read: (runId = 0) => ({ kind: 'run', runId, attempt: null }) },
  {
    form: /^actions\/runs\/(\d+)\/attempts\/(\d+)$/,
    read: (runId = 0, attempt = 0) => ({ kind: 'run', runId, attempt }),
  },
  { form: /^actions\/runs\/\d+\/(?:attempts\/\d+\/)?jobs?\/(\d+)$/, read: (jobId = 0) => ({ kind: 'job', jobId }) },
  // A check run of Actions has its job's id.
  { form: /^runs\/(\d+)$/, read: (jobId = 0) => ({ kind: 'job', jobId }) },
  { form: /^pull\/\d+\/checks\?check_run_id=(\d+)$/, read: (jobId = 0) => ({ kind: 'job', jobId }) },
];

type Named =
  | { readonly kind: 'issue'; readonly number: number }
  | { readonly kind: 'run'; readonly runId: number; readonly attempt: number | null }
  | { readonly kind: 'job'; readonly jobId: number };

/** `webUrl`: GitHub's base address for people, such as https://github.com. Throws `usage`, naming the forms that are understood. */
export function parseReportAddress(url: string, webUrl: string): ReportAddress {
  const address = URL.parse(url);
  const base = new URL(webUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  if (address === null || address.host !== base.host || !address.pathname.startsWith(`${prefix}/`)) {
    throw new CausewayError('usage', `${url} is not on ${webUrl} (GHE_HOST): paste its text as the report instead.`);
  }
  const [, owner, repo, rest] = NAMES.exec(address.pathname.slice(prefix.length)) ?? [];
  if (owner === undefined || repo === undefined || rest === undefined || /^\.+$/.test(repo)) throw notUnderstood(url);
  const checkRun = address.searchParams.get('check_run_id');
  const place = checkRun === null ? rest : `${rest}?check_run_id=${checkRun}`;
  for (const { form, read } of FORMS) {
    const match = form.exec(place);
    const ids = match?.slice(1).map(Number) ?? [];
    if (match !== null && ids.every((id) => Number.isSafeInteger(id) && id > 0))
      return { owner, repo, ...read(...ids) };
  }
  if (/^pull\/\d+/.test(rest)) throw pullRequest(url);
  throw notUnderstood(url);
}

/** A pull request describes a change, not a problem: what failed in it has an address of its own. */
export function pullRequest(url: string): CausewayError {
  return new CausewayError(
    'usage',
    `${url} is a pull request, which reports no problem by itself: open its failed check and give the address of that job.`,
  );
}

function notUnderstood(url: string): CausewayError {
  return new CausewayError(
    'usage',
    `${url} is neither an issue (…/issues/1) nor an Actions run (…/actions/runs/1) or job (…/actions/runs/1/job/2).`,
  );
}
