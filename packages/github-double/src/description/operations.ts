// The operations of GitHub's REST interface that we use, as GitHub describes them, found by method and path.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A JSON Schema; null: no body of JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  /** Its value may hold slashes. */
  readonly multiSegment?: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly method: string;
  /** A template such as `/repos/{owner}/{repo}`. */
  readonly path: string;
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly schema: JsonSchema | null };
  /** By status. */
  readonly responses: Readonly<Record<string, JsonSchema | null>>;
}

interface Description {
  readonly operations: readonly Operation[];
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface Template {
  readonly operation: Operation;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** Characters that are not of a parameter: of two templates that match, the more literal one is meant. */
  readonly literal: number;
}

/** GitHub's description as it is; nothing is changed here. */
export const githubDescription: Description = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'openapi-subset.json'), 'utf8'),
);

const templates: readonly Template[] = githubDescription.operations
  .map(compileTemplate)
  .sort((one, other) => other.literal - one.literal);

/** The operation that is meant, with its path parameters decoded; `other-method`: the path is known, not the method. */
export function findOperation(
  method: string,
  path: string,
): { readonly operation: Operation; readonly parameters: Readonly<Record<string, string>> } | 'other-method' | null {
  const matches = templates.flatMap((template) => {
    const values = template.pattern.exec(namedRepository(path));
    return values === null ? [] : [{ template, values: values.slice(1).map(decoded) }];
  });
  const match = matches.find(({ template }) => template.operation.method === method);
  if (match === undefined) return matches.length > 0 ? 'other-method' : null;
  const { names, operation } = match.template;
  return { operation, parameters: Object.fromEntries(names.map((name, at) => [name, match.values[at] ?? ''])) };
}

/**
 * GitHub answers everything below `/repos/OWNER/NAME` below `/repositories/ID` too: its own redirects and page links go there. It is
 * not in the description.
 */
function namedRepository(path: string): string {
  return path.replace(/^\/repositories\/\d+(?=\/|$)/, '/repos/by/number');
}

function compileTemplate(operation: Operation): Template {
  const names: string[] = [];
  const pattern = operation.path
    .split(/(\{\w+\})/)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      names.push(name);
      const { multiSegment } = operation.parameters.find((one) => one.in === 'path' && one.name === name) ?? {};
      // The root of a repository is asked for as `/contents/`.
      return multiSegment === true ? (operation.operationId === 'repos/get-content' ? '(.*)' : '(.+)') : '([^/]+)';
    })
    .join('');
  const literal = operation.path.replace(/\{\w+\}/g, '').length;
  return { operation, pattern: new RegExp(`^${pattern}$`), names, literal };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
