/**
 * Joins what a program loads at its start into few files, `dist/packed/`: Node takes about 0.4 ms for each module file, and a
 * server is 500 of ours and 330 of Knex. The kernel is one file, `kernel.js`, and what stands at the place of its modules names
 * their exports in it, so that its classes (`StatusError`) are one class for every importer. What the package and the kit for tests
 * share is in files that both load. What servers load at their start is a script, whose compiled form is kept.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { generate } from '../codegen/main.ts'
import { digest } from '../codegen/print/digest.ts'
import {
  type ExportsOfFiles,
  importAtOnce,
  loadedWith,
  makeStartScript,
  namesIn,
  requiring,
} from './pack/start-scripts.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dist = join(root, 'dist')
const packed = join(dist, 'packed')

/**
 * What users start or import, by the name of its packed file. Each row is packed by itself: what two entry points of a row load is in files
 * of their own, and the more of them share a row, the more files each of them opens at its start.
 */
const rows: readonly Readonly<Record<string, string>>[] = [
  {
    'orch-controller-manager': join(dist, 'daemons/controller-manager/main.js'),
    'orch-scheduler': join(dist, 'daemons/scheduler/main.js'),
    orchlet: join(dist, 'daemons/orchlet/main.js'),
  },
  {
    orch: join(dist, 'runtime/runtime.js'),
    testing: join(dist, 'runtime/testing/testing.js'),
    // The thread that reads YAML is a file beside the one that starts it.
    'yaml-worker': join(dist, 'runtime/serializer/yaml/yaml-worker.js'),
  },
]

/** A row, too, and what its programs load at their start is a script. */
const servers = {
  'orch-apiserver': join(dist, 'daemons/apiserver/main.js'),
  'orch-up': join(dist, 'tools/orch/up.js'),
}

/** What they import dynamically and yet at every start, for the sake of other programs. */
const atEveryStart = [
  'dist/generated/access.js',
  'dist/generated/scheme.js',
  'dist/runtime/apis/core/service/endpoints.js',
  'dist/runtime/apis/core/service/service.js',
  'dist/runtime/apis/discovery/endpoint-slice.js',
  'dist/runtime/apis/strategy/immutable.js',
  'dist/runtime/apis/strategy/type-checks.js',
  'dist/runtime/apis/types/formats.js',
  'dist/runtime/apiserver/authorization/authorization.js',
  'dist/runtime/controllers/access/access.js',
  'dist/runtime/controllers/identity/identity.js',
  'dist/runtime/serving/secure-server.js',
]

/** What they load when there is a first definition. */
const atDefinitions = [
  'dist/runtime/apis/apiextensions/custom-resource-definition.js',
  'dist/runtime/apiserver/custom-resources.js',
  'dist/runtime/controllers/definitions/custom-resources.js',
]

/** Where the tree of the public ecosystem's names is generated: only what changed is made again. */
const publicTree = join(root, 'node_modules/.cache/orch-public')

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions

/** What start scripts have in common. */
const settings = { folder: packed, common }

/** Packages whose code is joined, too: the ones that are loaded at every start, and the one that each definition needs. */
const joined: ReadonlySet<string> = new Set(['knex', 'koa', 'koa-compose', 'ipaddr.js', 're2js'])

/** The library for certificates and what it needs before it: a file of its own, of the modules for which its packages are CommonJS to Node. */
const certificateLibrary = ['reflect-metadata', '@peculiar/x509']

/** What looks for files beside its own stays where it is. */
const unmoved: ReadonlySet<string> = new Set([
  join(dist, 'codegen/main.js'),
  join(dist, 'tools/orch/compiled-scheme.js'),
])

/** What runs scripts: one module for all. */
const compiledScripts = join(dist, 'tools/pack/compiled-scripts.js')

/** The exports of each module of the kernel, by its built file; in `kernel.js` they have a prefix. */
const kernel = await kernelModules()

await rm(packed, { recursive: true, force: true })
await packKernel()
await packCertificateLibrary()
await packCompiledScripts()
for (const entryPoints of rows) await loadKernelAtOnce(await packRow(entryPoints))
await packServers()
await packJudges()
await packPublicScheme()

/** A file of the kernel within the joined one, and the prefix that keeps its names apart there. */
interface KernelModule {
  readonly source: string
  readonly prefix: string
  readonly names: readonly string[]
}

async function kernelModules(): Promise<ReadonlyMap<string, KernelModule>> {
  const folder = join(root, 'runtime/kernel')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.ts')).sort()
  const { metafile } = await build({
    ...common,
    bundle: false,
    entryPoints: sources.map((file) => join(folder, file)),
    outdir: join(dist, 'runtime/kernel'),
    write: false,
  })
  const built = Object.entries(metafile.outputs).map(([file, { exports, entryPoint }], index) => {
    const module = { source: entryPoint ?? '', prefix: `k${index}_`, names: exports }
    return [join(root, file), module] as const
  })
  return new Map(built)
}

async function packRow(
  entryPoints: Readonly<Record<string, string>>,
  prefix = '',
  more: readonly string[] = [],
): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints,
    splitting: true,
    chunkNames: `${prefix}[name]-[hash]`,
    outdir: packed,
    plugins: [outside(more), lateMediaTypes()],
    banner: { js: requiring },
  })
  return metafile
}

/** Writes `kernel.js`, and at the place of each module of the kernel one that names its exports. */
async function packKernel(): Promise<void> {
  const contents = [...kernel.values()].map(({ source, prefix, names }) => {
    const renamed = names.map((name) => `${name} as ${prefix}${name}`)
    return `export { ${renamed.join(', ')} } from './${source}'`
  })
  await build({
    ...common,
    stdin: { contents: contents.join('\n'), resolveDir: root },
    outfile: join(packed, 'kernel.js'),
  })
  const written = [...kernel].map(([file, module]) => {
    const path = relative(dirname(file), join(packed, 'kernel.js')).replaceAll('\\', '/')
    // Caches of generated code ask the built file whether a module is as it was: the digest changes with the source.
    const state = digest(readFileSync(join(root, module.source)))
    return writeFile(file, `// ${module.source} ${state}\n${exportsOf(module, path)}\n`)
  })
  await Promise.all(written)
}

/** A module of the kernel that several files import is a chunk which only passes names on: they import the kernel instead. One that is loaded dynamically stays. */
async function loadKernelAtOnce({ outputs }: Metafile): Promise<ReadonlySet<string>> {
  const passing = new Set(
    Object.entries(outputs)
      .map(([file, { inputs }]) => [basename(file), Object.keys(inputs)] as const)
      .filter(([file]) => /^(?:\w+-)?chunk-\w+\.js$/.test(file))
      .filter(([, names]) => names.length > 0 && names.every((name) => name.startsWith('kernel:')))
      .map(([file]) => file),
  )
  const files = Object.keys(outputs).map((file) => join(root, file))
  await Promise.all(
    files.map(async (file) => {
      if (passing.has(basename(file))) return rm(file)
      const text = readFileSync(file, 'utf8')
      const direct = text.replace(/"\.\/((?:\w+-)?chunk-\w+\.js)"/g, (place, chunk) =>
        passing.has(chunk) ? '"./kernel.js"' : place,
      )
      return direct === text ? undefined : writeFile(file, direct)
    }),
  )
  return passing
}

/** What runs scripts and keeps their compiled forms: one module, which those that run a script share. */
async function packCompiledScripts(): Promise<void> {
  await build({
    ...common,
    entryPoints: { 'compiled-scripts': compiledScripts },
    outdir: packed,
  })
}

/**
 * What the servers load at their start becomes a script, and so do Knex, which a server that keeps objects in memory does without, and
 * what definitions need.
 */
async function packServers(): Promise<void> {
  // Their files are written anew: no other row may have one of the same name.
  const metafile = await packRow(servers, 'server-')
  const passing = await loadKernelAtOnce(metafile)
  const shared = sharedKernel()
  const daemon = 'orch-apiserver.js'
  const apart = [daemon, ...shared.keys(), ...passing]
  const lazy = atEveryStart.map((module) => fileOf(metafile, module))
  const files = loadedWith(metafile, ['orch-up.js', daemon, ...lazy], apart)
  const start = { ...settings, name: 'start.js', files, shared }
  const later = [
    ['start-knex.js', ['node_modules/knex/knex.js']],
    ['start-definitions.js', atDefinitions],
  ] as const
  const behind: ExportsOfFiles = new Map([...shared, ['start.js', namesIn(start)]])
  const known = [...apart, ...files.keys()]
  const scripts = later.map(([name, modules]) => {
    const first = modules.map((module) => fileOf(metafile, module))
    const loaded = loadedWith(metafile, first, known)
    known.push(...loaded.keys())
    return { ...settings, name, files: loaded, shared: behind }
  })
  const importers = [daemon, ...scripts.flatMap((one) => [...one.files.keys()])]
  await Promise.all(importers.map((file) => importAtOnce(start, file)))
  await makeStartScript(start)
  for (const one of scripts) await makeStartScript(one)
}

/** What judges manifests ends soon after its start: it is a script, with what the kinds check. */
async function packJudges(): Promise<void> {
  const entries = {
    'orch-validate': join(dist, 'tools/orch/validate.js'),
    // A thread is a file beside the one that starts it.
    'validate-thread': join(dist, 'tools/orch/validate/validate-thread.js'),
  }
  const metafile = await packRow(entries, 'validate-', ['yaml'])
  const passing = await loadKernelAtOnce(metafile)
  const shared = sharedKernel()
  // What finds the files is loaded first, and starts the thread.
  const main = 'orch-validate.js'
  const first = loadedWith(metafile, [main], [main, ...shared.keys(), ...passing])
  const thread = 'validate-thread.js'
  const judge = fileOf(metafile, 'dist/tools/orch/validate/validate-files.js')
  const checks = Object.values(metafile.outputs)
    .flatMap(({ entryPoint = '' }) =>
      entryPoint.startsWith('dist/runtime/apis/') ? entryPoint : [],
    )
    .map((module) => fileOf(metafile, module))
  const apart = [main, thread, ...first.keys(), ...shared.keys(), ...passing]
  const files = loadedWith(metafile, [thread, judge, ...checks], apart)
  const behind: ExportsOfFiles = new Map([...shared, ...first])
  const start = { ...settings, name: 'start-validate.js', files, shared: behind }
  await importAtOnce(start, thread)
  await makeStartScript(start)
  await packBuild()
}

/** What judges the manifests of modules is a script, too, with the names of orch, which every run of it loads. */
async function packBuild(): Promise<void> {
  const entries = {
    'orch-build': join(dist, 'tools/orch/build.js'),
    // The process that evaluates modules is a file beside the one that starts it.
    'evaluate-child': join(dist, 'tools/orch/build/evaluate-child.js'),
  }
  const metafile = await packRow(entries, 'build-', ['yaml', 'acorn'])
  const passing = await loadKernelAtOnce(metafile)
  const shared = sharedKernel()
  // What evaluates is loaded first, and begins.
  const first = loadedWith(metafile, ['evaluate-child.js', 'orch-build.js'], [])
  const apart = [...first.keys(), ...shared.keys(), ...passing]
  const later = ['dist/tools/orch/build/module-manifests.js', 'dist/generated/scheme.js']
  const files = loadedWith(
    metafile,
    later.map((module) => fileOf(metafile, module)),
    apart,
  )
  await makeStartScript({ ...settings, name: 'start-build.js', files, shared })
}

/** The scheme of the public ecosystem's names, so that no user waits for a compiler. */
async function packPublicScheme(): Promise<void> {
  const platform = join(root, 'schemas/platform/kubernetes.yaml')
  const { report, notGenerated } = await generate({ platform, out: publicTree, check: false })
  if (report !== '' || notGenerated.length > 0) throw new Error(report || notGenerated.join('\n'))
  const entry = { 'public-scheme': join(publicTree, 'scheme.ts') }
  const metafile = await packRow(entry, 'public-')
  const passing = await loadKernelAtOnce(metafile)
  const types = fileOf(metafile, relative(root, join(publicTree, 'field-types.ts')))
  const files = loadedWith(metafile, ['public-scheme.js', types], ['kernel.js', ...passing])
  await makeStartScript({ ...settings, name: 'start-public.js', files, shared: sharedKernel() })
}

/** The packed file of a module that is imported dynamically. */
function fileOf({ outputs }: Metafile, module: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === module)
  if (found === undefined) throw new Error(`pack: ${module} is not loaded dynamically any more`)
  return basename(found[0])
}

async function packCertificateLibrary(): Promise<void> {
  const contents = certificateLibrary.map((name) => `export * from '${name}'`).join('\n')
  await build({
    ...common,
    stdin: { contents, resolveDir: root },
    mainFields: ['module', 'main'],
    outfile: join(packed, 'x509.js'),
  })
}

/** Start scripts share the kernel with all else. */
function sharedKernel(): ExportsOfFiles {
  return new Map([['kernel.js', [...kernel.values()].flatMap(namesInKernel)]])
}

/** What the exports of a module of the kernel are called in `kernel.js`. */
function namesInKernel({ prefix, names }: KernelModule): readonly string[] {
  return names.map((name) => prefix + name)
}

function exportsOf({ prefix, names }: KernelModule, path: string): string {
  const renamed = names.map((name) => `${prefix}${name} as ${name}`)
  return `export { ${renamed.join(', ')} } from '${path}'`
}

/** Decides what is left to Node's own loader. */
function outside(more: readonly string[]): Plugin {
  const external = externalPackages(more)
  return {
    name: 'outside',
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ path, resolveDir, namespace }) => {
        if (namespace === 'kernel') return { path, external: true }
        const file = resolve(resolveDir, path)
        if (file === compiledScripts) return { path: './compiled-scripts.js', external: true }
        if (unmoved.has(file)) return { path: `./${relative(packed, file)}`, external: true }
        return kernel.has(file) ? { path: file, namespace: 'kernel' } : undefined
      })
      build.onLoad({ filter: /^/, namespace: 'kernel' }, ({ path }) => {
        const module = kernel.get(path)
        return module && { contents: exportsOf(module, './kernel.js') }
      })
      build.onResolve({ filter: /^orch\/generated\// }, ({ path }) => ({
        path: join(dist, `${path.slice('orch/'.length)}.js`),
      }))
      build.onResolve({ filter: /^orch\/kernel\// }, ({ path }) => ({
        path: join(dist, 'runtime', `${path.slice('orch/'.length)}.js`),
        namespace: 'kernel',
      }))
      build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        certificateLibrary.includes(path) ? { path: './x509.js', external: true } : undefined,
      )
      build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        external.has(packageOf(path)) ? { path, external: true } : undefined,
      )
    },
  }
}

/**
 * Koa knows the media types of 2,500 file extensions (`ctx.type = 'png'`): 34 ms of every start for tables that the server never
 * reads. They stay in a file of their own, which is loaded when a middleware asks for one.
 */
function lateMediaTypes(): Plugin {
  const file = './mime-types.cjs'
  return {
    name: 'late-media-types',
    setup(plugin) {
      plugin.onResolve({ filter: /^mime-types$/ }, ({ path }) => ({ path, namespace: 'late' }))
      plugin.onLoad({ filter: /^/, namespace: 'late' }, () => ({ contents: lateModule(file) }))
      plugin.onResolve({ filter: /^\.\/mime-types\.cjs$/ }, () => ({ path: file, external: true }))
      plugin.onEnd(async () => {
        const entry = createRequire(import.meta.url).resolve('mime-types')
        await build({ ...common, format: 'cjs', entryPoints: [entry], outfile: join(packed, file) })
      })
    },
  }
}

/** The functions of `mime-types`, each of which loads the package. */
function lateModule(file: string): string {
  const names = ['charset', 'contentType', 'extension', 'lookup']
  const late = names.map((name) => `${name}: (...args) => all().${name}(...args)`)
  return `const all = () => require('${file}')\nmodule.exports = { ${late.join(', ')} }`
}

/** Our packages but for those that are joined (and `more` in this row), and the drivers that these may use. */
function externalPackages(more: readonly string[]): ReadonlySet<string> {
  const { dependencies = {}, optionalDependencies = {} } = manifest(root)
  const own = Object.keys({ ...dependencies, ...optionalDependencies })
  const drivers = [...joined].flatMap((name) =>
    Object.keys(manifest(join(root, 'node_modules', name)).browser ?? {}),
  )
  const left = own.filter((name) => !joined.has(name) && !more.includes(name))
  return new Set([...left, ...drivers])
}

/** `mariadb` of `mariadb/callback`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** As much of a package.json as is read here. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  /** What a package does without where there is no Node: with Knex, the drivers of databases. */
  readonly browser?: Readonly<Record<string, unknown>>
}

/** Reads it. */
function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}
