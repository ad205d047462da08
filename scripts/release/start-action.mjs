// What a runner of GitHub Actions starts, without arguments: the program, as its command "action".
process.argv.splice(2, process.argv.length, 'action');
await import('./main.js');
