// Where GitHub's own description lets a field be null. Such a null depends on the moment (`completed_at`) or on who wrote something.
import { description, type Schema } from '../../packages/github-double/src/description/operations.ts';

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
  const described = description.operations.find(({ operationId }) => operationId === operation);
  const schema = described?.responses[String(status)] ?? null;
  if (schema === null) return false;
  const parts = field
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((part) => part !== '');
  const reached = parts.reduce<readonly Schema[]>(
    (from, part) => from.flatMap((one) => below(one, part)),
    variants(schema),
  );
  return reached.some(({ type, enum: values }) => [type, values].flat().some((one) => one === 'null' || one === null));
}

/** What a value that fits the schema may also be read as: the parts of its alternatives and references. */
function variants(schema: Schema): readonly Schema[] {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const named = description.components.schemas[reference.split('/').at(-1) ?? ''];
    return named === undefined ? [] : variants(named);
  }
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] ?? []) as readonly Schema[]);
  return [schema, ...inner.flatMap(variants)];
}

function below(schema: Schema, part: string): readonly Schema[] {
  const found = part === '[]' ? schema['items'] : (schema['properties'] as Schema | undefined)?.[part];
  return typeof found === 'object' && found !== null ? variants(found as Schema) : [];
}
