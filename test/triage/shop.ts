// A small shop in memory, and what is found out about it from a report.
import type { Project } from '../../src/core/project/project.ts';
import type { InvestigationStep } from '../../src/core/report/evidence.ts';
import { type GatherInput, gatherFacts } from '../../src/triage/facts.ts';
import type { Facts } from '../../src/triage/gathered-facts.ts';
import { createMemoryRepository, type MemoryOptions, testLexicons } from '../support/memory-source.ts';

export const FIRST = '1a'.repeat(20);
export const SECOND = '2b'.repeat(20);

export const SHOP: Project = {
  id: 'shop',
  name: 'local/shop',
  source: { kind: 'path', path: '/srv/shop' },
  createdAt: '2024-01-01T00:00:00.000Z',
};
export const HEADER = `// Headers of a request.
export function parseHeader(line: string): Header {
  const [name, value] = line.split(':');
  if (!value) throw new Error('header has no value: ' + name);
  return { name, value: value.trim() };
}
`;
export const FILES = {
  'package.json': '{\n  "name": "shop"\n}\n',
  'README.md': 'header has no value: see parseHeader\n',
  'src/header.ts': HEADER,
  'src/request.ts':
    "import { parseHeader } from './header.ts';\n\nexport function readRequest(text: string) {\n  return text.split('\\n').map(parseHeader);\n}\n",
  'src/discount.ts': 'export function applyDiscount(cart: Cart) {\n  return cart.total;\n}\n',
  'test/header.test.ts': "import { parseHeader } from '../src/header.ts';\nit('parses', () => parseHeader('a'));\n",
};
export const COMMITS = [
  { sha: FIRST, subject: 'Read headers', files: { ...FILES, 'src/discount.ts': '' } },
  { sha: SECOND, subject: 'Add discounts', files: FILES },
];
export const TRACE = `Server crashes on empty headers

TypeError: Cannot read properties of undefined (reading 'split')
    at parseHeader (/srv/shop/dist/header.js:9:27)
    at Array.map (<anonymous>)
    at readRequest (/srv/shop/src/request.ts:4:27)
    at run (/srv/shop/node_modules/left-pad/index.js:1:1)
    at Object.<anonymous> (/srv/shop/test/header.test.ts:2:20)
`;

export async function factsOf(
  report: string,
  options: Partial<MemoryOptions> & Pick<Partial<GatherInput>, 'revision' | 'range'> = {},
): Promise<Facts & { told: readonly InvestigationStep[] }> {
  const told: InvestigationStep[] = [];
  await using lexicons = testLexicons();
  const facts = await gatherFacts({
    report,
    range: options.range ?? null,
    revision: options.revision ?? '',
    repository: createMemoryRepository({ commits: COMMITS, ...options }),
    lexicon: lexicons.of(SHOP),
    onStep: async (step) => void told.push(step),
    signal: new AbortController().signal,
  });
  return { ...facts, told };
}
