import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/matchers.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts', 'lambdas/**/*.ts'],
      exclude: ['lib/stacks/**', 'lib/app.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { branches: 85 },
    },
  },
});
