// Where GitHub's own description lets a field be null. Such a null depends on the moment (`completed_at`) or on who wrote something.
import { githubDescription, type JsonSchema } from 'causeway-github-double';

/** `field` as `compareShapes` names it, such as `check_runs[].completed_at`. */
export function mayBeNull({
  operation,
  status,
  field,
}: {
  readonly operation: string;
  readonly status: number;
  readonly field: string;
}): boolean {
  const described = githubDescription.operations.find(({ operationId }) => operationId === operation);
  const schema = described?.responses[String(status)] ?? null;
  if (schema === null) return false;
  const parts = field
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((part) => part !== '');
  const reached = parts.reduce<readonly JsonSchema[]>(
    (from, part) => from.flatMap((one) => below(one, part)),
    variants(schema),
  );
  return reached.some(({ type, enum: values }) => [type, values].flat().some((one) => one === 'null' || one === null));
}

/** What a value that fits the schema may also be read as: the parts of its alternatives and references. */
function variants(schema: JsonSchema): readonly JsonSchema[] {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const named = githubDescription.components.schemas[reference.split('/').at(-1) ?? ''];
    return named === undefined ? [] : variants(named);
  }
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] ?? []) as readonly JsonSchema[]);
  return [schema, ...inner.flatMap(variants)];
}

function below(schema: JsonSchema, part: string): readonly JsonSchema[] {
  const found = part === '[]' ? schema['items'] : (schema['properties'] as JsonSchema | undefined)?.[part];
  return typeof found === 'object' && found !== null ? variants(found as JsonSchema) : [];
}
