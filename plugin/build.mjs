// Builds dist/index.js, or with --tests the test bundles into build/.
import { build } from 'esbuild'
import { readdir, rm } from 'node:fs/promises'

const shared = { bundle: true, logLevel: 'warning', define: { 'process.env.NODE_ENV': '"production"' } }

/** The page, its style and the icon lie in dist/ already; the script is what is built. */
async function plugin() {
  await build({
    ...shared,
    entryPoints: ['src/main.ts'],
    outfile: 'dist/index.js',
    format: 'iife',
    target: 'chrome114', // Electron 27, which Logseq 0.10.9 runs on, is 118
    minify: true,
    legalComments: 'linked',
  })
}

async function tests() {
  await rm('build', { recursive: true, force: true })
  for (const folder of ['test/node', 'test/chromium', 'test/whole']) {
    const names = (await readdir(folder)).filter((name) => /\.(test|bench)\.ts$/.test(name))
    await build({
      ...shared,
      entryPoints: names.map((name) => `${folder}/${name}`),
      outdir: `build/${folder.replace('test/', '')}`,
      outExtension: { '.js': '.mjs' },
      platform: 'node',
      format: 'esm',
      packages: 'external',
      sourcemap: 'inline',
    })
  }
  await build({
    ...shared,
    entryPoints: ['test/host/page.ts'],
    outfile: 'build/host/page.js',
    format: 'iife',
    platform: 'browser',
  })
  await build({
    ...shared,
    entryPoints: ['test/host/cli.ts'],
    outfile: 'build/host/logseq.mjs',
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
}

await (process.argv.includes('--tests') ? tests() : plugin())
