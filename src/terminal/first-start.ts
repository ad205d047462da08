// What `serve` says once it is ready: where it is, what it knows, and a first report that can be pasted.
import type { Project } from '../domain/project.ts';
import { printableLine } from './printable.ts';
import { padEnd } from './wrap.ts';

export interface Started {
  /** Base address, without a slash at its end. */
  readonly address: string;
  readonly projects: readonly Project[];
  /** The token made at the first start; null at every later one. */
  readonly token: string | null;
}

/** The text that `serve` prints when it is ready; ends with a line feed. */
export function startText(started: Started): string {
  const { address, token } = started;
  const sections = [
    `Causeway is ready: ${address}\n  API and examples: ${address}/docs\n  Local mode: this machine only. Ctrl-C stops it.`,
    projectsText(started.projects),
    token === null ? laterStart() : firstStart({ ...started, token }),
  ];
  return `${sections.join('\n\n')}\n`;
}

function projectsText(projects: readonly Project[]): string {
  if (projects.length === 0) {
    return `Projects: none yet. Start in a git repository, or name some:
  PROJECTS=/path/to/one:/path/to/another npm start`;
  }
  const width = Math.max(...projects.map((project) => project.name.length));
  const rows = projects.map((project) => `  ${padEnd(printableLine(project.name), width)}  ${project.id}`);
  return `Projects (PROJECTS names others):\n${rows.join('\n')}`;
}

function laterStart(): string {
  return `A token was printed at the first start. To make another:
  bin/causeway token create --name laptop`;
}

function firstStart(started: Started & { readonly token: string }): string {
  const { address, token } = started;
  const authorization = `-H ${quote(`Authorization: Bearer ${token}`)}`;
  const projectId = started.projects[0]?.id ?? 'PROJECT_ID';
  const body = JSON.stringify({ projectId, data: SAMPLE }, null, 2);
  return `Your token, shown this once (only a hash of it is kept):
  ${token}

Hand in a report. Paste this; put your own problem in "data":

curl -i ${address}/api/v1/issues/ \\
  ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d ${quote(body)}

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

/** For sh: in single quotes everything stands for itself, but the quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
