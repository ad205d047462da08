// Commands that the reporter says they ran.
import { markCode } from './code-fences.ts';

const MAX_COMMANDS = 20;
const PROGRAMS =
  'npm|npx|yarn|pnpm|bun|bunx|deno|node|python3?|pip3?|pytest|tox|poetry|uv|go|cargo|rustc|dotnet|mvn|\\./mvnw|gradle|\\./gradlew|java|kotlinc|docker|docker-compose|kubectl|helm|make|git|curl|bash|sh|php|composer|ruby|bundle|rake|tsc|jest|vitest|eslint|webpack|vite|next';
const PROMPT = /^\s*(?:\$|%|❯|PS [^>]{1,100}>|[\w.-]{1,40}@[\w.-]{1,60}[^$#]{0,100}[$#]) +(\S.{1,300})$/;
const BARE = new RegExp(`^\\s*(?:[A-Z_]{2,40}=\\S{1,100} )?(?:${PROGRAMS}) [\\w./-][^\`]{0,300}$`);
const SPAN = new RegExp(`\`((?:${PROGRAMS}) [^\`]{1,200})\``, 'g');

/** Distinct commands in the order of the text: after a prompt, in a code block, or in backticks. */
export function findCommands(lines: readonly string[]): readonly string[] {
  const commands = new Set<string>();
  for (const { text: line, kind } of markCode(lines)) {
    const prompted = PROMPT.exec(line)?.[1];
    if (prompted && /^[\w./]/.test(prompted)) commands.add(prompted.trim());
    else if (kind === 'code' && BARE.test(line)) commands.add(line.trim());
    for (const span of line.matchAll(SPAN)) commands.add(span[1] ?? '');
    if (commands.size >= MAX_COMMANDS) break;
  }
  return [...commands];
}
