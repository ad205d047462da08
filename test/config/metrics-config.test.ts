// Where figures can be read: nowhere unless somebody asks for it, and to everybody only where that was said.
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

it('opens nothing by itself, and a port of their own on loopback', () => {
  expect(readConfig({}).metrics).toEqual({ port: null, host: '127.0.0.1', token: null });
  expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ port: 9464, host: '127.0.0.1', token: null });
  expect(readConfig({ METRICS_PORT: '0', METRICS_HOST: '10.0.0.5' }).metrics).toMatchObject({
    port: 0,
    host: '10.0.0.5',
  });
});

it('takes a token that nobody guesses, and keeps it out of the log', () => {
  const token = 'sixteen-letters!';
  const config = readConfig({ METRICS_TOKEN: token });
  expect([config.metrics.token, config.secrets]).toEqual([token, expect.arrayContaining([token])]);
  expect(() => readConfig({ METRICS_TOKEN: 'short', METRICS_PORT: 'x' })).toThrow(
    /^METRICS_TOKEN is too short.*\nMETRICS_PORT is "x": give a whole number from 0 to 65535\.$/,
  );
});
