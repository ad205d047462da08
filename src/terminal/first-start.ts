// What `serve` says once it is ready: where it is, what it knows, and a first report that can be pasted.
import type { Project } from '../domain/project.ts';
import { quoted } from '../domain/shell-quote.ts';
import { pausedText } from './github-start.ts';
import type { Launcher } from './launcher.ts';
import { printableLine } from './printable.ts';
import { type ModelWords, modelText, WITHOUT_WORKER } from './start-words.ts';
import { padEnd } from './wrap.ts';

export interface Started extends ModelWords {
  /** Base address, without a slash at its end. */
  readonly address: string;
  readonly projects: readonly Project[];
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
  const { address, projects, token } = started;
  const [first] = projects;
  const sections = [
    `Causeway is ready: ${address}\n  API and examples: ${address}/docs\n  Local mode: this machine only. Ctrl-C stops it.\n  ${modelText(started)}`,
    `Open it in a browser. This link signs you in, once, within an hour\n(another: ${started.launcher.here} sign-in):\n  ${started.signInLink}`,
    ...(started.worker ? [] : [WITHOUT_WORKER]),
    ...(started.paused ? [pausedText(started.launcher)] : []),
    first === undefined ? noProjects(started.launcher) : projectsText(projects),
    tokenText(token, started.launcher),
    ...(first === undefined || token.kind === 'used' ? [] : [curls(address, first.id, token)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function noProjects(launcher: Launcher): string {
  return `Projects: none yet. Stop this, and start in a git repository, or name some:
  cd YOUR-REPOSITORY && ${launcher.anywhere} serve
  PROJECTS=/path/to/one:/path/to/another ${launcher.here} serve`;
}

function projectsText(projects: readonly Project[]): string {
  const width = Math.max(...projects.map((project) => project.name.length));
  const rows = projects.map((project) => `  ${padEnd(printableLine(project.name), width)}  ${project.id}`);
  return `Projects (PROJECTS names others):\n${rows.join('\n')}`;
}

/** Nobody knows whether an older token was ever seen: its start may have been killed before it printed. */
function tokenText(token: KnownToken, launcher: Launcher): string {
  const another = `${launcher.here} token create --name laptop`;
  switch (token.kind) {
    case 'made':
      return `Your token, shown this once (only a hash of it is kept):\n  ${token.value}`;
    case 'unused':
      return `No token was used yet. A token is shown once, when it is made; to make another:\n  ${another}`;
    case 'used':
      return `A token is shown once, when it is made. To make another:\n  ${another}`;
  }
}

function curls(address: string, projectId: string, token: Exclude<KnownToken, { kind: 'used' }>): string {
  const authorization = `-H ${quoted(`Authorization: Bearer ${token.kind === 'made' ? token.value : 'TOKEN'}`)}`;
  const body = JSON.stringify({ projectId, data: SAMPLE }, null, 2);
  return `Hand in a report. Paste this; put in your own ${token.kind === 'made' ? 'problem as' : 'TOKEN and'} "data":

curl -i ${address}/api/v1/issues/ \\
  ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(body)}

Follow it. The answer names the investigation (inv_...); put it in here, and
this waits for its end and names the issue (iss_...):

curl '${address}/api/v1/investigations/INV_ID/?wait=60' \\
  ${authorization}

curl ${address}/api/v1/issues/ISS_ID/ \\
  ${authorization}

Or be told: run this in another terminal, and add to the body of the report
  "callbackUrl": "${RECEIVER_ADDRESS}"

${RECEIVER}`;
}

const SAMPLE = 'TypeError: cart is undefined\n    at checkout (src/index.js:10:5)';

const RECEIVER_ADDRESS = 'http://127.0.0.1:4000/';

const RECEIVER = `node -e 'require("http").createServer((request, answer) => {
  request.pipe(process.stdout); request.on("end", () => answer.end())
}).listen(4000, "127.0.0.1")'`;
