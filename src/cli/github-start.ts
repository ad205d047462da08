// What `serve` says with a GitHub App, and before there is one.
import type { Launcher } from './launcher.ts';
import { printableLine } from './printable.ts';
import { isModelMissing, type ModelWords, modelText, WITHOUT_WORKER } from './start-words.ts';

export interface SetupWords {
  /** Base address, without a slash at its end. */
  readonly address: string;
  /** Where the port is. */
  readonly listening: string;
  /** Whether PUBLIC_URL is missing, although the port is open to other machines. */
  readonly lacksPublicUrl: boolean;
  readonly code: string;
}

export function setupText({ address, listening, lacksPublicUrl, code }: SetupWords): string {
  return `Causeway is not connected to GitHub yet. Open this page and give it the code:

  ${address}/setup
  one-time code  ${code}

Listening on ${listening}. The code holds until this process ends.
${lacksPublicUrl ? `${NO_PUBLIC_URL}\n` : ''}For local mode instead, without GitHub: LOCAL_MODE=1 and HOST=127.0.0.1.
`;
}

const NO_PUBLIC_URL = `Set PUBLIC_URL to the address under which GitHub and people reach this service,
such as https://causeway.example.com: the addresses above lead nowhere from elsewhere.`;

export interface GithubStarted extends ModelWords {
  readonly address: string;
  /** Whether PUBLIC_URL is missing, although the port is open to other machines. */
  readonly lacksPublicUrl: boolean;
  readonly listening: string;
  /** Whether people can sign in with GitHub. */
  readonly hasSignIn: boolean;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly appId: number;
  readonly worker: boolean;
  readonly paused: boolean;
  /** The most that a repository may ask for. */
  readonly maxMode: string;
  readonly launcher: Launcher;
}

export function githubStartText(started: GithubStarted): string {
  const { address, listening, webUrl, appId, maxMode, launcher } = started;
  const model = modelText(started);
  const isMissing = isModelMissing(started);
  const sections = [
    `${isMissing ? `${model}\n` : ''}Causeway is ready: ${address}
  Account area: ${accountArea(started)}
  API and examples: ${address}/docs
  GitHub: ${webUrl}, App ${appId}; deliveries at ${address}/api/github/webhooks
  Listening on ${listening}. Ctrl-C stops it.${isMissing ? '' : `\n  ${model}`}${maxMode === 'fix' ? '' : `\n  Mode: ${maxMode} at most (MAX_MODE, DRY_RUN).`}`,
    ...(started.lacksPublicUrl ? [`${NO_PUBLIC_URL}\nSign-in and links in comments need it.`] : []),
    ...(started.worker ? [] : [WITHOUT_WORKER]),
    ...(started.paused ? [pausedText(launcher)] : []),
    `A token for the API, for somebody on GitHub:
  ${launcher.here} token create --account LOGIN --name laptop`,
  ];
  return `${sections.join('\n\n')}\n`;
}

function accountArea({ address, hasSignIn }: GithubStarted): string {
  return hasSignIn
    ? `${address}/projects`
    : 'nobody can sign in yet. Set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET of the App.';
}

export function pausedText(launcher: Launcher): string {
  return `Paused: reports are kept, no model is asked and nothing is posted, until
  ${launcher.here} resume`;
}

/** Said instead where somebody has, whose installations do not count. */
export function ignoredText(pageUrl: string, owners: readonly string[]): string {
  const who = printableLine(owners.join(', '));
  return `The App is installed for ${who}, and nothing is done there: ALLOWED_OWNERS does not name ${owners.length === 1 ? 'it' : 'them'}
(where it is empty, the owner of the App alone is allowed). Name ${owners.length === 1 ? 'it' : 'them'} there and start again, or install the App for an allowed owner:
  ${printableLine(pageUrl)}/installations/new
`;
}

/** Said once GitHub has told who the App is, where nobody has installed it yet. */
export function installText(pageUrl: string): string {
  return `The App is not installed anywhere yet. Choose its repositories here:\n  ${printableLine(pageUrl)}/installations/new\n`;
}
