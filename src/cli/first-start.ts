// What `serve` says in local mode once it is ready: five lines, and on the first start a report that can be pasted.
import type { Project } from '../core/project.ts';
import type { ExampleReport } from '../core/report.ts';
import { quoted } from '../core/shell-quote.ts';
import { pausedText } from './github-start.ts';
import type { Launcher } from './launcher.ts';
import { printableLine } from './printable.ts';
import { isModelMissing, type ModelWords, modelText, WITHOUT_WORKER } from './start-words.ts';

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
    `  Projects (set PROJECTS to change): ${projectNames(started)}`,
    ...(isModelMissing(started) ? [] : [`  ${model}`]),
    `  API: ${address}/docs${token.kind === 'made' ? '' : ` (new token: ${launcher.here} token create --name laptop)`}`,
  ];
  const sections = [
    [...(isModelMissing(started) ? [model] : []), ...head].join('\n'),
    ...(started.worker ? [] : [WITHOUT_WORKER]),
    ...(started.paused ? [pausedText(launcher)] : []),
    ...(token.kind === 'made' ? [`Your token, shown only now: ${token.value}`] : []),
    ...(token.kind === 'used' ? [] : [calls(started, token)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Names after these are on the page of projects. */
const NAMES_SHOWN = 5;

function projectNames({ projects, example }: Started): string {
  const names = projects.map(({ id, name }) => `${printableLine(name)}${id === example?.projectId ? ' (demo)' : ''}`);
  const rest = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function calls({ address, projects, example }: Started, token: Exclude<KnownToken, { kind: 'used' }>): string {
  const authorization = `-H ${quoted(`Authorization: Bearer ${token.kind === 'made' ? token.value : 'TOKEN'}`)}`;
  const named = projects.find(({ id }) => id === example?.projectId) ?? projects[0];
  const data = example?.data ?? 'PASTE AN ERROR MESSAGE OR A LOG HERE';
  const body = JSON.stringify({ projectId: named?.name ?? 'PROJECT_ID', data }, null, 2);
  return `Submit a report – replace ${token.kind === 'made' ? '' : 'TOKEN, and '}"data" with your own:

curl -i ${address}/api/v1/issues/ \\
  ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(body)}

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
