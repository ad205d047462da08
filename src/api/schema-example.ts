// An example for any schema of the OpenAPI document, so that none has to be kept by hand.
import type { OpenApiDocument } from './openapi.ts';

type Components = NonNullable<OpenApiDocument['components']>;
type AnySchema = NonNullable<Components['schemas']>[string];
export type SchemaObject = Exclude<AnySchema, { $ref: string }>;

/** The schema itself, wherever it stands. */
export function resolveSchema(document: OpenApiDocument, schema: AnySchema): SchemaObject {
  if (!('$ref' in schema)) return schema;
  const name = nameOf(schema.$ref);
  const found = document.components?.schemas?.[name];
  if (found === undefined) throw new Error(`the document has no schema ${name}`);
  return resolveSchema(document, found);
}

/** Last part of a reference: the component's name. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** A value that the schema accepts: its own example, or one built from its parts. */
export function exampleOf(document: OpenApiDocument, anySchema: AnySchema): unknown {
  const schema = resolveSchema(document, anySchema);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  const [either] = schema.anyOf ?? [];
  if (either !== undefined) return exampleOf(document, either);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object': {
      const entries = Object.entries(schema.properties ?? {});
      return Object.fromEntries(entries.map(([name, part]) => [name, exampleOf(document, part)]));
    }
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(document, schema.items)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return '…';
  }
}
