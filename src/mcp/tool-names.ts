// Function names for a server's tools, from the configuration alone: the same in every turn and run, whatever the server says.
import { createHash } from 'node:crypto';

const MAX_NAME = 64;
const MARK = 7;

/** `server__tool` for each tool in order: of `[a-zA-Z0-9_-]`, at most 64 characters, no two alike. */
export function offeredNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = tools.map((tool) => `${server}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`);
  const names = tools.map((tool, at) => {
    const name = plain[at] ?? '';
    const stands =
      name.length <= MAX_NAME && (name.endsWith(`__${tool}`) || plain.filter((other) => other === name).length === 1);
    return [tool, stands ? name : marked(name, tool)] as const;
  });
  return new Map(names);
}

/** A name that had to be changed and is taken or too long ends in a mark made of the whole original. */
function marked(name: string, tool: string): string {
  const mark = createHash('sha256')
    .update(tool)
    .digest('hex')
    .slice(0, MARK - 1);
  return `${name.slice(0, MAX_NAME - MARK)}_${mark}`;
}
