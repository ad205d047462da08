// Loaded into the service before its own code (`node --import`): a fault that nobody catches, when the test asks for it by a signal.
const quoted = process.env['QUOTED'] ?? '';
const fault = (kind: string) =>
  Object.assign(new TypeError(`${kind}: ${quoted}\n    at ${quoted} (${quoted}.js:1:1)`), {
    report: quoted,
    code: quoted,
  });

process.on('SIGUSR2', () => {
  throw fault('thrown');
});
process.on('SIGWINCH', () => {
  void Promise.reject(fault('rejected'));
});
