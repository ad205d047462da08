// Commands are what a person wrote at the start of a line: not what they quote, show as code, or hide.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand as parse } from '../../../src/github/report/command.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const parseCommand = (body: string) => parse(body, { slug: 'causeway-dev' });
const analyse = (guidance = '') => ({ kind: 'analyse', guidance });
const known = (issue: number | null, what: object, repository: string | null = null) => ({
  ...{ kind: 'known', issue, repository, what },
});
const retry = (guidance = '') => ({ kind: 'retry', guidance });

describe('a comment', () => {
  it.each([
    ['/analyse', analyse()],
    ['/analyze', analyse()],
    ['/ANALYSE', analyse()],
    ['  /analyse  ', analyse()],
    ['/analyse\r\n', analyse()],
    ['/analyse look at the parser', analyse('look at the parser')],
    ['/analyse\nIt began with 1.4.\n\nThe log is above.', analyse('It began with 1.4.\n\nThe log is above.')],
    ['/analyse it\n> what somebody said\nplease', analyse('it\nplease')],
    [
      '/analyse see it\n\nOn Tue, 3 Mar 2026 at 10:00, Lena wrote:\n\n> what somebody said\n> and more',
      analyse('see it'),
    ],
    ['/analyse see it\n\nAm 3.3.2026 um 10:00 <lena@example.com>\nschrieb:\n> was jemand sagte', analyse('see it')],
    ['/analyse it\nIt worked until 2025:\n> the log', analyse('it\nIt worked until 2025:')],
    ['/analyse it\nSince 2026 it says:\nnothing', analyse('it\nSince 2026 it says:\nnothing')],
    ['/analyse this part <!-- and not this -->', analyse('this part')],
    ['Thanks!\n\n/analyse', analyse()],
    ['> /analyse fix\n\n/analyse stop', { kind: 'stop' }],
    ['/analyse retry', retry()],
    ['/analyse Retry the cache is at fault', retry('the cache is at fault')],
    ['/analyse retrying does not help', analyse('retrying does not help')],
    ['/analyse fix', { kind: 'fix' }],
    ['/Analyze FIX.', { kind: 'fix' }],
    ['/analyse fix the login', { kind: 'unclear', meant: 'fix' }],
    ['/analyse stop that, please', { kind: 'unclear', meant: 'stop' }],
    ['/analyse fix please', { kind: 'fix' }],
    ['/analyse: stop', { kind: 'stop' }],
    ['/analyse please', analyse()],
    ['/analyse please stop', { kind: 'stop' }],
    ['/analyse.', analyse()],
    ['/analyse fixed in 1.3?', analyse('fixed in 1.3?')],
    ['/analyse stop', { kind: 'stop' }],
    ['/analyse stop!', { kind: 'stop' }],
    ['/analyse\n/analyse stop', analyse('/analyse stop')],
    ['```\ncode\n```\n/analyse', analyse()],
    ['<!-- hidden -->\n/analyse', analyse()],
    ['/analyse checkout fails', analyse('checkout fails')],
    ['/analyse src/cart.js', analyse('src/cart.js')],
    ['/analyse checkout\nIt began with 1.4.', analyse('checkout\nIt began with 1.4.')],
    ['/analyse fxi the login', analyse('fxi the login')],
    ['/analyse checkout', { kind: 'unclear', meant: null }],
    ['/analyse ci', { kind: 'unclear', meant: null }],
    ['/analyse banana', { kind: 'unclear', meant: null }],
    ['/analyse good until 1.3 and wrong since 1.4', { kind: 'unclear', meant: null }],
    ['/analyse help', { kind: 'help' }],
    ['/analyse prove please', { kind: 'prove' }],
    ['/analyse prove it', { kind: 'unclear', meant: 'prove' }],
    ['/analyse proof', { kind: 'unclear', meant: 'prove' }],
    ['/analyse Help!', { kind: 'help' }],
    ['/analyse ?', { kind: 'help' }],
    ['/analyse commands', { kind: 'unclear', meant: null }],
    ['@causeway-dev help', { kind: 'help' }],
    ['/analyse fxi', { kind: 'unclear', meant: 'fix' }],
    ['/analyze Fixx!', { kind: 'unclear', meant: 'fix' }],
    ['/analyse sotp', { kind: 'unclear', meant: 'stop' }],
    ['/analyse rety', { kind: 'unclear', meant: 'retry' }],
    ['/analyse worng', { kind: 'unclear', meant: 'wrong' }],
    ['/analyse right', { kind: 'judge', vote: 'right', why: '' }],
    ['/analyse Right: thanks\nAll of it.', { kind: 'judge', vote: 'right', why: 'thanks\nAll of it.' }],
    ['/analyse wrong', { kind: 'judge', vote: 'wrong', why: '' }],
    ['/analyse wrong the cache is stale', { kind: 'judge', vote: 'wrong', why: 'the cache is stale' }],
    ['/analyse right that was it', { kind: 'judge', vote: 'right', why: 'that was it' }],
    ['/analyse RIGHT - confirmed on staging', { kind: 'judge', vote: 'right', why: 'confirmed on staging' }],
    ['/analyse **right**, many thanks', { kind: 'judge', vote: 'right', why: 'many thanks' }],
    ['/analyse: "wrong" (the cache)', { kind: 'judge', vote: 'wrong', why: '(the cache)' }],
    ['/Analyze Wrong!!', { kind: 'judge', vote: 'wrong', why: '' }],
    ['/analyse wrong file, look at src/cart.js', { kind: 'judge', vote: 'wrong', why: 'file, look at src/cart.js' }],
    ['/analyse wrong\n\nIt is the lookup.', { kind: 'judge', vote: 'wrong', why: 'It is the lookup.' }],
    ['/analyse right after the login', { kind: 'judge', vote: 'right', why: 'after the login' }],
    ['/analyse rerun', { kind: 'rerun' }],
    ['/analyse Re-run, please!', { kind: 'rerun' }],
    ['/analyse rerun the tests', { kind: 'unclear', meant: 'rerun' }],
    ['/analyse rerrun', { kind: 'unclear', meant: 'rerun' }],
    ['/analyse mine', { kind: 'override', whose: 'mine', why: '', quoted: null }],
    [
      '/analyse Not-mine: the registry is down\nSee its page.',
      { kind: 'override', whose: 'not_mine', why: 'the registry is down\nSee its page.', quoted: null },
    ],
    [
      '@causeway-dev not mine `test (20)`: flaky since Monday',
      {
        ...{ kind: 'override', whose: 'not_mine', why: '`test (20)`: flaky since Monday' },
        quoted: { name: 'test (20)', rest: 'flaky since Monday', isCode: true },
      },
    ],
    [
      "/analyse not_mine 'unit' the till",
      {
        ...{ kind: 'override', whose: 'not_mine', why: "'unit' the till" },
        quoted: { name: 'unit', rest: 'the till', isCode: false },
      },
    ],
    ['/analyse known #12', known(12, { kind: 'failure', failureId: '' })],
    ['/analyse known', known(null, { kind: 'failure', failureId: '' })],
    ['/analyse known 12 fal_a1', known(12, { kind: 'failure', failureId: 'fal_a1' })],
    ['/analyse known issue #12.', known(12, { kind: 'failure', failureId: '' })],
    ['/analyse known: #12: "lost at sea"', known(12, { kind: 'pattern', pattern: 'lost at sea' })],
    ['/analyse known #12 `lost at sea`', known(12, { kind: 'pattern', pattern: 'lost at sea' })],
    ["/analyse known #12 'lost at sea'", known(12, { kind: 'pattern', pattern: 'lost at sea' })],
    ['/analyse known #12 „lost at sea“', known(12, { kind: 'pattern', pattern: 'lost at sea' })],
    ['/analyse known #12 «lost at sea» yes', known(12, { kind: 'confirm', pattern: 'lost at sea' })],
    ['/ANALYSE KNOWN #12 "said "lost" at sea".', known(12, { kind: 'pattern', pattern: 'said "lost" at sea' })],
    ['/analyse known #12 no', known(12, { kind: 'untie' })],
    [
      '/analyse known https://github.example/corner/shop/issues/12#issuecomment-9 "lost at sea"',
      known(12, { kind: 'pattern', pattern: 'lost at sea' }, 'corner/shop'),
    ],
    ['/analyse known corner/shop#12', known(12, { kind: 'failure', failureId: '' }, 'corner/shop')],
    ['/analyse known #12\n"lost at sea"', known(12, { kind: 'malformed', isBelow: true })],
    ['/analyse known #12\n\n```\nlost at sea\n```', known(12, { kind: 'malformed', isBelow: true })],
    ['/analyse known #12\n\nIt is the sea.', known(12, { kind: 'failure', failureId: '' })],
    ['/analyse known #12 lost at sea', known(12, { kind: 'malformed', isBelow: false })],
    ['/analyse known to work in 1.2', analyse('known to work in 1.2')],
    ['/analyse mining the logs helps', analyse('mining the logs helps')],
    ['/analyse line', { kind: 'unclear', meant: null }],
    ['/analyse correct', { kind: 'judge', vote: 'right', why: '' }],
    ['/analyse That is correct.\nIt was the cache.', { kind: 'judge', vote: 'right', why: 'It was the cache.' }],
    ["/analyse that's wrong", { kind: 'judge', vote: 'wrong', why: '' }],
    ['/analyse incorrect!', { kind: 'judge', vote: 'wrong', why: '' }],
    ['/analyse correct the total', { kind: 'analyse', guidance: 'correct the total' }],
    ['@causeway-dev right, thanks', { kind: 'judge', vote: 'right', why: 'thanks' }],
    ['/analyse wrongly cached', { kind: 'analyse', guidance: 'wrongly cached' }],
    ['/analyse right-hand side is wrong', { kind: 'analyse', guidance: 'right-hand side is wrong' }],
    ['/analyse retry: the cache', retry('the cache')],
    ['/analyse retry!', retry()],
    ['/analyse thanks\n/analyse fix', { kind: 'fix' }],
    ['@causeway-dev', analyse()],
    ['@Causeway-Dev[bot]', analyse()],
    ['@causeway-dev please', analyse()],
    ['@causeway-dev fix', { kind: 'fix' }],
    ['@causeway-dev please fix.', { kind: 'fix' }],
    ['@causeway-dev, retry it began with 1.4', retry('it began with 1.4')],
    ['@causeway-dev: why is it slow?\nSee the log.', analyse('why is it slow?\nSee the log.')],
    ['@causeway-dev analyse this again', analyse('this again')],
    ['@causeway-dev /analyse stop', { kind: 'stop' }],
    ['@causeway-dev wrong, it is the cache', { kind: 'judge', vote: 'wrong', why: 'it is the cache' }],
    ['I see.\n\n@causeway-dev stop', { kind: 'stop' }],
    ['@causeway-dev rety', { kind: 'unclear', meant: 'retry' }],
    ['@causeway-dev thanks\n/analyse fix', { kind: 'fix' }],
  ])('asks for something: %j', (body, command) => {
    expect(parseCommand(body)).toEqual(command);
  });

  it.each([
    '',
    'please /analyse this',
    'analyse',
    '/analysed',
    '/analyse-this',
    '/analyse/this',
    '/analysis',
    '\\/analyse',
    '`/analyse`',
    '> /analyse',
    '  > /analyse',
    '- /analyse',
    '    /analyse',
    '\t/analyse',
    '```\n/analyse\n```',
    '~~~ text\n/analyse\n~~~',
    '```\n/analyse',
    '````\n```\n/analyse\n````',
    '<!-- /analyse -->',
    '<!--\n/analyse\n-->',
    '<!--\n/analyse',
    'a <!-- b\n```\n--> c\n<!--\n/analyse\n-->',
    '<pre>\n/analyse\n</pre>',
    '/analyse thanks!',
    '/analyse Thank you, that helped a lot.',
    '/analyse great work',
    '/analyse nice!',
    '/analyse 👍',
    'I tried /analyse right and it said no.',
    'Somebody should comment `/analyse retry`.',
    'He wrote:\n> /analyse right\n\nI agree.',
    'cc @causeway-dev',
    'What does @causeway-dev say?',
    'thanks @causeway-dev fix',
    'someone@causeway-dev fix',
    '@causeway-dev thanks!',
    '@causeway-dev Thank you, that helped',
    "@causeway-dev's answer is right",
    '@causeway-dev/team fix',
    '@causeway-dev.example fix',
    '@causeway-dev-2 fix',
    '@causeway fix',
    '@@causeway-dev fix',
    '\\@causeway-dev fix',
    '`@causeway-dev fix`',
    '> @causeway-dev fix',
    '- @causeway-dev fix',
    '    @causeway-dev fix',
    '```\n@causeway-dev fix\n```',
    '<!-- @causeway-dev fix -->',
  ])('asks for nothing: %j', (body) => {
    expect(parseCommand(body)).toBeNull();
  });

  it('asks for nothing, whatever it says, where each of its lines is quoted', () => {
    const line = fc.constantFrom('/analyse', '/analyse fix', '```', '<!--', '-->', '<pre>', 'words', '');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        expect(parseCommand(lines.map((text) => `> ${text}`).join('\n'))).toBeNull();
      }),
    );
  });

  it('asks for nothing, whatever it says, inside of a fence that it cannot close', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        fc.pre(!text.includes('`'));
        expect(parseCommand(`\`\`\`\n${text}\n/analyse\n\`\`\``)).toBeNull();
      }),
    );
  });

  it('asks for a command once, with guidance of at most 4,000 well-formed characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 6_000 }), (text) => {
        const command = parseCommand(`/analyse ${text}`);
        if (command === null || !('guidance' in command)) return;
        expect(command.guidance.length).toBeLessThanOrEqual(4_000);
        expect(command.guidance.isWellFormed()).toBe(true);
      }),
    );
  });
});
