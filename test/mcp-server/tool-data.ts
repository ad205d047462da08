// What a tool gave, as the official client hands it out.
import type { CallToolResult } from '@modelcontextprotocol/client';

export type ToolData = Readonly<Record<string, unknown>> & { readonly quoted: Readonly<Record<string, unknown>> };

/** Fails where the tool did; checks that text and structure say the same. */
export function dataOf(result: CallToolResult): ToolData {
  if (result.isError === true) throw new Error(textOf(result));
  if (JSON.stringify(result.structuredContent) !== textOf(result)) throw new Error('text and structure differ');
  return result.structuredContent as ToolData;
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
