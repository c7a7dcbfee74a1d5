/**
 * The child of `takeStandardInput`: hands its standard input on, and ends when that ends, when nobody reads any more, or
 * when its parent is gone.
 */
const leave = (code: number): void => {
  process.exitCode = code;
  process.off('disconnect', process.exit);
  if (process.connected) process.disconnect();
};

process.once('disconnect', process.exit);
process.stdout.once('error', () => process.exit());
process.stdin.once('error', () => leave(1));
process.stdin.once('end', () => leave(0));
process.stdin.pipe(process.stdout);
