import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/matchers.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Many tests wait for processes of their own: both cores are worth using, which the default leaves to one.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts', 'lambdas/**/*.ts'],
      exclude: ['lib/stacks/**', 'lib/app.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { branches: 85 },
    },
  },
});
