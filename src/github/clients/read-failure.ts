// What an answer of GitHub that is no success means for us, in our words: later, gone, refused, or unsure.
import { GithubFailure, type GithubFailureKind } from './github-clients.ts';
import { limited } from './limit-words.ts';
import { limitedUntil } from './limits.ts';
import type { Patience, Resource } from './patience.ts';

/** What was asked, without anything that was sent. */
export interface Asked {
  /** Such as `GET /repos/{owner}/{repo}`. */
  readonly route: string;
  /** As whom. */
  readonly as: 'app' | 'installation' | 'nobody';
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly now: Date;
  readonly patience: Patience;
  /** Which of GitHub's counts it falls under. */
  readonly resource: Resource;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

const SAID_CHARACTERS = 500;

/** A failure for an answer of 300 or more. */
export function failureOf(answer: Answer, asked: Asked): GithubFailure {
  const { status } = answer;
  const said = wordsOf(answer.data);
  const failed = (kind: GithubFailureKind, message: string, retryAt: Date | null = null) =>
    new GithubFailure({ kind, status, retryAt, said }, message);
  if (status >= 500 || isPage(answer)) return failed('unsure', strange(answer, asked));
  const until = limitedUntil(answer, said, asked);
  if (until !== null) return failed('busy', limited(until), until);
  if (status === 404 || status === 410 || status === 451) return failed('gone', notThere(status, asked));
  if (status === 403 && /suspended/i.test(said)) return failed('gone', suspended());
  if (status === 401) return failed('refused', unknownCaller(asked));
  if (status === 403) return failed('refused', forbidden(answer, said, asked));
  return failed('refused', `GitHub did not accept "${asked.route}" (${status}): ${reasonOf(status)}`);
}

/** For an answer that says success and holds something else than an answer, and for none at all. */
export function unsureFailure(status: number | null, message: string, cause?: unknown): GithubFailure {
  return new GithubFailure({ kind: 'unsure', status, retryAt: null }, message, cause === undefined ? {} : { cause });
}

export function unreadable(status: number, asked: Asked): GithubFailure {
  return unsureFailure(
    status,
    `${asked.apiUrl} did not answer "${asked.route}" as GitHub's API does: check GITHUB_API_URL and the proxy on the way. It is tried again.`,
  );
}

/** GitHub's short sentence and its error messages or codes, cut; never the whole body. */
export function wordsOf(data: unknown): string {
  const parts = [
    messageOf(data),
    ...errorsOf(data).map((error) => [messageOf(error), textAt(error, 'code')].join(' ')),
  ];
  const text = parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join('; ');
  return text.replace(/\s+/g, ' ').slice(0, SAID_CHARACTERS);
}

/** `errors` of a REST refusal or of a GraphQL answer. */
export function errorsOf(data: unknown): readonly unknown[] {
  if (typeof data !== 'object' || data === null || !('errors' in data)) return [];
  return Array.isArray(data.errors) ? data.errors : [data.errors];
}

export function textAt(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : '';
}

function messageOf(value: unknown): string {
  return typeof value === 'string' ? value : textAt(value, 'message');
}

function isPage({ headers }: Answer): boolean {
  return /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
}

function strange(answer: Answer, { route, apiUrl }: Asked): string {
  return answer.status >= 500
    ? `GitHub answered "${route}" with ${answer.status}: a fault of its own, which may have happened after the work was done. It is tried again.`
    : `${apiUrl} answered "${route}" with a page (${answer.status}), as GitHub's API does not: check GITHUB_API_URL and the proxy on the way.`;
}

function suspended(): string {
  return 'The installation is suspended (403): whoever suspended it can take that back in the GitHub Apps settings of its owner.';
}

function notThere(status: number, { route, as }: Asked): string {
  if (status === 451) return `GitHub withholds what "${route}" asks for for legal reasons (451).`;
  if (status === 410) return `What "${route}" asks for was deleted or is switched off (410).`;
  if (as === 'app')
    return `GitHub knows nothing that "${route}" asks for (404): the App was uninstalled there, or APP_ID names another App.`;
  return `GitHub does not show this App what "${route}" asks for (404): it was deleted, or the App has lost access to it.`;
}

function unknownCaller({ as, route, webUrl }: Asked): string {
  if (as === 'app') {
    return `GitHub does not believe that we are the App (401): check that APP_ID and PRIVATE_KEY belong together, that the key still stands in the App's settings (${webUrl}/settings/apps, or those of its organisation), and that the clock of this machine is right.`;
  }
  return `GitHub does not accept the installation's token for "${route}" (401), not even a new one: check that the App is still installed there.`;
}

function forbidden(answer: Answer, said: string, { route }: Asked): string {
  const needed = String(answer.headers['x-accepted-github-permissions'] ?? '');
  if (/not accessible by integration/i.test(said) && needed !== '') {
    return `The App may not do "${route}" (403): it needs the permission ${permissionNames(needed)}. Grant it in the App's settings under "Permissions", then accept it at the installation.`;
  }
  if (/not accessible by integration/i.test(said)) return lacksPermission(route);
  return `GitHub did not allow "${route}" (403): a rule of the repository or its organisation forbids it, or it is archived.`;
}

export function lacksPermission(route: string): string {
  return `The App may not do "${route}" (403): a permission that it needs was not granted, or never will be (workflow files). Compare the App's permissions with app.yml.`;
}

/** `issues=write; pull_requests=write` are alternatives, `contents=write,workflows=write` are needed together. */
function permissionNames(header: string): string {
  const readable = header
    .split(';')
    .map((set) =>
      set
        .trim()
        .split(',')
        .map((one) => one.trim().replace('=', ': '))
        .join(' and '),
    )
    .join(', or ');
  return readable.replace(/[^\w:, ]/g, '').slice(0, 200);
}

function reasonOf(status: number): string {
  if (status === 409) return 'it does not fit what is there now.';
  if (status === 422) return 'it is not valid for what is there now.';
  if (status < 400) return 'it has moved; its new name is learnt within hours, or at once from a "repository" event.';
  return 'the request itself is wrong, which is a fault of Causeway or a GitHub version that it does not know.';
}
