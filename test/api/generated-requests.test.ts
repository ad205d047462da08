// Requests made from the OpenAPI document itself, sound and unsound: every answer is as documented, and none is a fault of ours.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/core/account/account.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { type ApiGround, apiGround, bodyOf } from './api-ground.ts';
import { document } from './documented-answer.ts';

/** What of JSON Schema stands in our document. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

interface Operation {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
}

const ROUNDS = Number(process.env['ROUNDS'] ?? 1);
const RUNS = 40 * ROUNDS;

const OPERATIONS: readonly Operation[] = Object.entries(document.paths ?? {}).flatMap(([template, item]) =>
  Object.entries(item)
    .filter(([, operation]) => operation.responses !== undefined && !template.endsWith('/events/'))
    .map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content?.['application/json']?.schema ?? null,
    })),
);

function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const steps = schema.$ref.slice(2).split('/');
  return steps.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Schema;
}

/** Anything at all: what no schema expects. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: ANY_CHARACTER, maxLength: 300 }),
  fc.double(),
  fc.constantFrom('\ud800', '\0', '__proto__', '-1', '1e309', ' ', '%00', '../', 2 ** 53),
);

/** Values that the schema allows, so far as its bounds tell; a pattern is left to chance. */
function sound(given: Schema): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') {
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 });
  }
  if (type === 'object') {
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties ?? {});
    const models = Object.fromEntries(fields.map(([name, value]) => [name, sound(value)]));
    return fc.record(models, { requiredKeys: [...required] });
  }
  const [minLength, maxLength] = [schema.minLength ?? 0, Math.min(schema.maxLength ?? 200, 400)];
  return fc.string({ unit: 'grapheme', minLength, maxLength });
}

const either = (schema: Schema) => fc.oneof({ weight: 3, arbitrary: sound(schema) }, { weight: 1, arbitrary: strange });

/** A sound body, or one with a field more, less or other than it should be, or no object at all. */
function bodies(schema: Schema, projectId: string): fc.Arbitrary<unknown> {
  const whole = sound(schema).map((value) => ({ ...(value as object), projectId, callbackUrl: undefined }));
  const bent = fc
    .tuple(whole, fc.constantFrom(...Object.keys(resolved(schema).properties ?? {}), 'extra'), strange)
    .map(([value, name, other]) => ({ ...value, [name]: other }));
  return fc.oneof(whole, bent, strange);
}

/** Text as it may stand in an address: half a pair of surrogates cannot. */
const asText = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 2_000);

describe('any request that the document suggests', () => {
  let ground: ApiGround;
  let token: string;
  const ids = { projectId: '', issueId: '', investigationId: '' };
  beforeAll(async () => {
    ground = await apiGround();
    token = await ground.newToken({ scopes: SCOPES });
    ids.projectId = ground.project.id;
    ids.investigationId = await ground.report('known');
    ids.issueId = await ground.conclude(await ground.report('concluded'));
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  it.each(OPERATIONS.map((operation) => [`${operation.method} ${operation.template}`, operation] as const))(
    '%s is answered as documented',
    async (_name, { method, template, parameters, body }) => {
      const values = fc.record(
        Object.fromEntries(parameters.map((one) => [`${one.in} ${one.name}`, either(one.schema)])),
      );
      const given = body === null ? fc.constant(undefined) : bodies(body, ids.projectId);
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(values, given, fc.boolean(), async (chosen, json, known) => {
          const value = (where: string, name: string) =>
            known && where === 'path' ? ids[name as keyof typeof ids] : asText(chosen[`${where} ${name}`]);
          const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value('path', name)));
          const query = new URLSearchParams();
          const headers: Record<string, string> = {};
          for (const { name, in: where } of parameters) {
            // A held answer would be waited for.
            if (where === 'query' && name !== 'wait') query.set(name, value('query', name));
            if (where === 'header') headers[name] = value('header', name).replace(/[^\x21-\x7e]/g, '');
          }
          // Nothing, or dots, make another path of it.
          if (parameters.some((one) => one.in === 'path' && /^\.{0,2}$/.test(value('path', one.name)))) return;
          const raw = json === undefined ? {} : { raw: JSON.stringify(json) ?? 'null' };
          const answer = await ground.call(method, `${path}?${query}`, { token, headers, ...raw });
          expect(answer.status).toBeLessThan(500);
          sent += 1;
        }),
        { numRuns: RUNS },
      );
      expect(sent).toBeGreaterThan(RUNS / 4);
    },
  );

  it('makes reports, and refuses others', async () => {
    const list = await ground.call('GET', '/api/v1/projects/');
    expect(list.status).toBe(200);
    const made = await ground.store.listInvestigations({ limit: 100 });
    expect(made.length).toBeGreaterThan(2);
    const refused = await ground.call('POST', '/api/v1/issues/', { body: { data: 1 } });
    expect((await bodyOf(refused)).errors.length).toBeGreaterThan(0);
  });
});
