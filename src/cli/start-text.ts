// What `serve` and `worker` print when they are ready: in local mode, with a GitHub App, and before there is one.
import type { Project } from '../core/project.ts';
import type { ExampleReport } from '../core/report.ts';
import { quoteWords } from '../core/shell-quote.ts';
import { type Launcher, printableLine } from './terminal.ts';

export interface ModelWords {
  /** Null: facts only. */
  readonly model: string | null;
  /** What is missing of the model's settings, or what they lead to; "" for nothing. */
  readonly modelHint: string;
}

/** One line: the model that is asked, or that there is none and what to set. */
export function modelText({ model, modelHint }: ModelWords): string {
  const hint = printableLine(modelHint);
  if (model !== null) return `Model: ${printableLine(model)}${hint === '' ? '' : `. ${hint}`}`;
  return `Model: none (search only). ${hint || 'Set MODEL and OPENAI_API_KEY or OPENAI_BASE_URL to use one.'}`;
}

/** Whether a model was configured in part: somebody wants one, and has to hear first that there is none. */
function isModelMissing({ model, modelHint }: ModelWords): boolean {
  return model === null && modelHint !== '';
}

const WITHOUT_WORKER = `No worker in this process: reports are kept, and nothing runs or is sent until a
start without --no-worker (or, with PostgreSQL, a "causeway worker").`;

export interface Started extends ModelWords {
  /** Base address, without a slash at its end. */
  readonly address: string;
  readonly projects: readonly Project[];
  /** About the demo project; null: it is not among the projects. */
  readonly example: ExampleReport | null;
  readonly token: KnownToken;
  /** Opens the account area, once. */
  readonly signInLink: string;
  /** False: reports are only kept. */
  readonly worker: boolean;
  readonly launcher: Launcher;
  readonly paused: boolean;
}

/** `made` just now; `unused`: the account has tokens, and none was ever used; `used`: somebody knows the way. */
export type KnownToken =
  | { readonly kind: 'made'; readonly value: string }
  | { readonly kind: 'unused' }
  | { readonly kind: 'used' };

/** The text that `serve` prints when it is ready; ends with a line feed. */
export function startText(started: Started): string {
  const { address, token, launcher, signInLink } = started;
  const model = modelText(started);
  const head = [
    `Causeway is ready: ${signInLink}`,
    `  Sign-in link (single use, valid 1 hour; new one: ${launcher.here} sign-in)`,
    `  Projects (set PROJECTS to change): ${listProjectNames(started)}`,
    ...(isModelMissing(started) ? [] : [`  ${model}`]),
    `  API: ${address}/docs${token.kind === 'made' ? '' : ` (new token: ${launcher.here} token create --name laptop)`}`,
  ];
  const sections = [
    [...(isModelMissing(started) ? [model] : []), ...head].join('\n'),
    ...(started.worker ? [] : [WITHOUT_WORKER]),
    ...(started.paused ? [pausedText(launcher)] : []),
    ...(token.kind === 'made' ? [`Your token, shown only now: ${token.value}`] : []),
    ...(token.kind === 'used' ? [] : [describeCalls(started, token)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Names after these are on the page of projects. */
const NAMES_SHOWN = 5;

function listProjectNames({ projects, example }: Started): string {
  const names = projects.map(({ id, name }) => `${printableLine(name)}${id === example?.projectId ? ' (demo)' : ''}`);
  const rest = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function describeCalls({ address, projects, example }: Started, token: Exclude<KnownToken, { kind: 'used' }>): string {
  const authorization = `-H ${quoteWords(`Authorization: Bearer ${token.kind === 'made' ? token.value : 'TOKEN'}`)}`;
  const named = projects.find(({ id }) => id === example?.projectId) ?? projects[0];
  const data = example?.data ?? 'PASTE AN ERROR MESSAGE OR A LOG HERE';
  const body = JSON.stringify({ projectId: named?.name ?? 'PROJECT_ID', data }, null, 2);
  return `Submit a report – replace ${token.kind === 'made' ? '' : 'TOKEN, and '}"data" with your own:

curl -i ${address}/api/v1/issues/ \\
  ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d ${quoteWords(body)}

Watch it in the browser, or wait for its result with the investigation's id (inv_…)
from the answer, and read it with the issue's (iss_…):

curl '${address}/api/v1/investigations/INV_ID/?wait=60' \\
  ${authorization}

curl ${address}/api/v1/issues/ISS_ID/ \\
  ${authorization}

Or receive a webhook: add "callbackUrl": "${RECEIVER_ADDRESS}" to the
report, and run this in another terminal:

${RECEIVER}`;
}

const RECEIVER_ADDRESS = 'http://127.0.0.1:4000/';

const RECEIVER = `node -e 'require("http").createServer((request, answer) => {
  request.pipe(process.stdout); request.on("end", () => answer.end())
}).listen(4000, "127.0.0.1")'`;

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
  Account area: ${describeAccountArea(started)}
  API and examples: ${address}/docs
  GitHub: ${webUrl}, App ${appId}; deliveries at ${address}/api/github/webhooks
  Listening on ${listening}. Ctrl-C stops it.${isMissing ? '' : `\n  ${model}`}${maxMode === 'fix' ? '' : `\n  Mode: ${maxMode} at most (MAX_MODE).`}`,
    ...(started.lacksPublicUrl ? [`${NO_PUBLIC_URL}\nSign-in and links in comments need it.`] : []),
    ...(started.worker ? [] : [WITHOUT_WORKER]),
    ...(started.paused ? [pausedText(launcher)] : []),
    `A token for the API, for somebody on GitHub:
  ${launcher.here} token create --account LOGIN --name laptop`,
  ];
  return `${sections.join('\n\n')}\n`;
}

function describeAccountArea({ address, hasSignIn }: GithubStarted): string {
  return hasSignIn
    ? `${address}/projects`
    : 'nobody can sign in yet. Set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET of the App.';
}

function pausedText(launcher: Launcher): string {
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

export interface WorkerStarted extends ModelWords {
  /** Base address of its own port. */
  readonly listening: string;
  /** Address of the database, without its password. */
  readonly database: string;
  /** Investigations at a time. */
  readonly concurrency: number;
  readonly paused: boolean;
}

/** Ends with a line feed. */
export function workerText(started: WorkerStarted): string {
  const { listening, database, concurrency, paused } = started;
  const rest = paused ? '\n  Paused: no model is asked and nothing is posted, until "causeway resume".' : '';
  return `Causeway takes work: ${concurrency} ${concurrency === 1 ? 'investigation' : 'investigations'} at a time.
  Records: ${printableLine(database)}
  For operators: ${listening}/readyz. Ctrl-C stops it.
  ${modelText(started)}${rest}
`;
}
