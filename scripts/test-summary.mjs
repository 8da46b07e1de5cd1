// Prints the summary line of a test run from Vitest's JSON report.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failedFiles = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
);
const failed = report.numFailedTests + failedFiles.length;
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
