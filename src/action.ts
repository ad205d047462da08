// Entry of the action that `npm run pack:release` builds: a runner calls it without arguments.
process.argv.splice(2, process.argv.length, 'action');
await import('./main.ts');
