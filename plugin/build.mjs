// Builds dist/index.js and dist/LICENSES.txt, which are committed, so that Go
// alone builds Lectern. With --check it fails if they differ from what the sources
// give; with --tests it builds the test bundles into build/.
import { build } from 'esbuild'
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'

const shared = { bundle: true, logLevel: 'warning', define: { 'process.env.NODE_ENV': '"production"' } }

/** The page, its style and the icon lie in dist/ already; the script and the licences are what is built. */
async function plugin() {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ['src/main.ts'],
    outfile: 'dist/index.js',
    format: 'iife',
    target: 'chrome114', // Electron 27, which Logseq 0.10.9 runs on, is 118
    minify: true,
    legalComments: 'inline',
    write: false,
  })
  return { 'dist/index.js': outputFiles[0].text, 'dist/LICENSES.txt': await licences() }
}

/** The licence of every package that is part of the script, by the lock file. */
async function licences() {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
  const texts = ['dist/index.js contains these packages.\n']
  for (const [folder, { version, license, dev, optional }] of Object.entries(packages)) {
    if (!folder || dev || optional) continue
    const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name))
    const text = file ? await readFile(`${folder}/${file}`, 'utf8') : 'The package contains no licence text.\n'
    const rows = text.trimEnd().split(/\r?\n/).map((row) => row.trimEnd())
    texts.push(`${'='.repeat(80)}\n${folder.replace('node_modules/', '')} ${version}: ${license ?? 'states no licence'}\n\n${rows.join('\n')}\n`)
  }
  return texts.join('\n')
}

async function write() {
  for (const [file, text] of Object.entries(await plugin())) await writeFile(file, text)
}

async function check() {
  for (const [file, text] of Object.entries(await plugin())) {
    if ((await readFile(file, 'utf8').catch(() => '')) === text) continue
    console.error(`plugin/${file} is not what its sources give: run npm run --prefix plugin build, and commit it`)
    process.exitCode = 1
  }
}

async function tests() {
  await rm('build', { recursive: true, force: true })
  for (const folder of ['test/node', 'test/chromium', 'test/whole']) {
    const names = (await readdir(folder)).filter((name) => /\.(test|bench|pictures)\.ts$/.test(name))
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

const run = process.argv.includes('--tests') ? tests : process.argv.includes('--check') ? check : write
await run()
