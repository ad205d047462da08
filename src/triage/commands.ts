// Commands that the reporter says they ran.
import { markCode } from './code-fences.ts';

const MAX_COMMANDS = 20;
const PROGRAMS =
  'npm|npx|yarn|pnpm|bun|bunx|deno|node|python3?|pip3?|pytest|gh|sls|serverless|terraform|ansible(?:-playbook)?|brew|tox|poetry|uv|go|cargo|rustc|dotnet|mvn|\\./mvnw|gradle|\\./gradlew|java|kotlinc|docker|docker-compose|kubectl|helm|make|git|curl|bash|sh|php|composer|ruby|bundle|rake|tsc|jest|vitest|eslint|webpack|vite|next';
const PROMPT = /^\s*(?:\$|%|❯|PS [^>]{1,100}>|[\w.-]{1,40}@[\w.-]{1,60}[^$#]{0,100}[$#]) +(\S.{1,300})$/;
const BARE = new RegExp(`^\\s*(?:[A-Z_]{2,40}=\\S{1,100} )?(?:${PROGRAMS}) [\\w./-][^\`]{0,300}$`);
const SPAN = new RegExp(`\`((?:${PROGRAMS}) [^\`]{1,200})\``, 'g');
/** Whatever its program: in quotes or backticks behind a word for running it, or with an option. */
const RUN =
  /\b(?:run(?:s|ning)?|ran|execut(?:e|es|ed|ing)|invok(?:e|es|ed|ing)|typ(?:e|ed|ing)|issu(?:e|ed|ing)|try(?:ing)? to|tried(?: to)?|commands?)(?: the command)?:? ["'`“]([a-z][\w./-]{0,40}(?: [^"`”]{1,200})?)["'`”]/gi;
const WITH_OPTION = /`([a-z][\w./-]{0,40}(?: [\w./:@-]{1,60}){0,6} --?[a-z][^`]{0,200})`/g;

/** Distinct commands in the order of the text: after a prompt, in a code block, or quoted. */
export function findCommands(lines: readonly string[]): readonly string[] {
  const commands = new Set<string>();
  for (const { text, kind } of markCode(lines)) {
    for (const command of [...ownLine(text, kind === 'code'), ...quotedCommands(text)]) commands.add(command);
    if (commands.size >= MAX_COMMANDS) break;
  }
  return [...commands];
}

/** The command that the whole line is. */
function ownLine(line: string, isCode: boolean): readonly string[] {
  const prompted = PROMPT.exec(line)?.[1];
  if (prompted && /^[\w./]/.test(prompted)) return [prompted.trim()];
  return isCode && BARE.test(line) ? [line.trim()] : [];
}

function quotedCommands(line: string): readonly string[] {
  const start = line.slice(0, 500);
  return [SPAN, RUN, WITH_OPTION].flatMap((form) => [...start.matchAll(form)].map((span) => (span[1] ?? '').trim()));
}
