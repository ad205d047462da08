// Commands are what a person wrote at the start of a line: not what they quote, show as code, or hide.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand as parse } from '../../../src/github/events/command.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const parseCommand = (body: string) => parse(body, { slug: 'causeway-dev' });
const analyse = (guidance = '') => ({ kind: 'analyse', guidance });
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
    ['/analyse this <!-- and not this -->', analyse('this')],
    ['Thanks!\n\n/analyse', analyse()],
    ['> /analyse fix\n\n/analyse stop', { kind: 'stop' }],
    ['/analyse retry', retry()],
    ['/analyse Retry the cache is at fault', retry('the cache is at fault')],
    ['/analyse retrying does not help', analyse('retrying does not help')],
    ['/analyse fix', { kind: 'fix' }],
    ['/Analyze FIX.', { kind: 'fix' }],
    ['/analyse fix the login', analyse('fix the login')],
    ['/analyse fixed in 1.3?', analyse('fixed in 1.3?')],
    ['/analyse stop', { kind: 'stop' }],
    ['/analyse stop!', { kind: 'stop' }],
    ['/analyse\n/analyse stop', analyse('/analyse stop')],
    ['```\ncode\n```\n/analyse', analyse()],
    ['<!-- hidden -->\n/analyse', analyse()],
    ['/analyse checkout', analyse('checkout')],
    ['/analyse ci', analyse('ci')],
    ['/analyse fxi the login', analyse('fxi the login')],
    ['/analyse fxi', { kind: 'unclear', meant: 'fix' }],
    ['/analyze Fixx!', { kind: 'unclear', meant: 'fix' }],
    ['/analyse sotp', { kind: 'unclear', meant: 'stop' }],
    ['/analyse rety', { kind: 'unclear', meant: 'retry' }],
    ['/analyse worng', { kind: 'unclear', meant: 'wrong' }],
    ['/analyse right', { kind: 'judge', vote: 'right', why: '' }],
    ['/analyse Right: thanks\nAll of it.', { kind: 'judge', vote: 'right', why: 'thanks\nAll of it.' }],
    ['/analyse wrong', { kind: 'judge', vote: 'wrong', why: '' }],
    ['/analyse wrong the cache is stale', { kind: 'judge', vote: 'wrong', why: 'the cache is stale' }],
    ['/analyse right after the login', { kind: 'analyse', guidance: 'right after the login' }],
    ['/analyse wrongly cached', { kind: 'analyse', guidance: 'wrongly cached' }],
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
