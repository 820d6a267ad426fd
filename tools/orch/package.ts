/** `orch package`: from an operator's schema files and controllers to the manifests that install it. */
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import type { Terminal } from '../../daemons/run.ts'
import { nearestName } from '../../runtime/kernel/values/spelling.ts'
import { readCommandLine } from './command-line.ts'
import { type PackageFormat, packageFormats } from './package/files.ts'
import { type AlertFormat, alertFormats, type PackageSettings } from './package/settings.ts'

const help = `Writes what installs an operator into a cluster: definitions, rights, webhooks, a Deployment and a Dockerfile.

Usage:
  orch package --controllers FILE --image REF --out DIR [--schemas DIR] [flags]

  orch package --controllers dist/controllers.js --schemas schemas --image registry.example.com/shop-operator:v1 --out deploy
  kubectl apply -f deploy/shop-operator.yaml

The rights are those that the exported controllers declare: what they are for, own, watch, read and write. Webhooks are those that
the same module exports.

Flags:
      --alerts FORMAT    alerts about conditions whose schema says "alertAfter": none, rules (a file for "rule_files" of Prometheus),
                         prometheus-rule (an object among the manifests, which needs the operator of Prometheus) (default none)
      --args WORD        a word of the command line of the program in the image; may be given more than once
      --check            change nothing; show what would change as a diff, and fail if anything would
      --controllers FILE the module that exports the controllers and webhooks, one by one or in lists
      --format FORMAT    plain: one file for "kubectl apply -f"; kustomize: one for each part (default plain)
      --health-port PORT where the program answers /healthz and /readyz (default 8081)
      --image REF        the image of the program
      --main FILE        the program in the image (default: what the start script of ./package.json runs, as
                         in "node dist/src/main.js"; else dist/main.js)
      --name NAME        names everything (default: the last word of the image's name)
      --namespace NAME   where it runs (default NAME)
      --namespaced       rights in that namespace only, but for kinds without namespaces
      --no-events        no right to record events
      --no-leader-election  no right to hold leases; an update stops the old program before it starts the new one
      --out DIR          the folder to write
      --replicas NUMBER  how many run at a time, of which one works, with --sharding all (default 1)
      --schemas DIR      the schema files of the kinds that it brings
      --sharding         the copies share their keys: rights to keep a lease for each shard, in place of one for all
      --webhook-port PORT  where the program answers webhooks, if it has any (default 9443)
  -h, --help             show this help
`

const flags = {
  alerts: { type: 'string', default: 'none' },
  args: { type: 'string', multiple: true, default: [] as string[] },
  check: { type: 'boolean', default: false },
  controllers: { type: 'string' },
  format: { type: 'string', default: 'plain' },
  'health-port': { type: 'string', default: '8081' },
  help: { type: 'boolean', short: 'h', default: false },
  image: { type: 'string' },
  main: { type: 'string' },
  name: { type: 'string' },
  namespace: { type: 'string' },
  namespaced: { type: 'boolean', default: false },
  'no-events': { type: 'boolean', default: false },
  'no-leader-election': { type: 'boolean', default: false },
  out: { type: 'string' },
  replicas: { type: 'string', default: '1' },
  schemas: { type: 'string' },
  sharding: { type: 'boolean', default: false },
  'webhook-port': { type: 'string', default: '9443' },
} as const

type Values = Exclude<ReturnType<typeof readFlags>, string>['values']

function readFlags(args: readonly string[]) {
  return readCommandLine({ args: [...args], options: flags })
}

/** Runs the command. 0: done, or nothing to do; 1: it cannot be packaged, or differs; 2: the command line is wrong. */
export async function runPackage({ args, print, printError }: Terminal): Promise<number> {
  const failed = (code: number, message: string) => {
    printError(`orch package: ${message}`)
    return code
  }
  const line = readFlags(args)
  if (typeof line === 'string') return failed(2, line)
  const { values } = line
  if (values.help) {
    print(help.trimEnd())
    return 0
  }
  const { controllers, out, image, format, schemas } = values
  if (controllers === undefined) return failed(2, '--controllers is needed to say what it may do')
  if (image === undefined) return failed(2, '--image is needed to say what runs')
  if (out === undefined) return failed(2, '--out is needed to say where the files go')
  const settings = await settingsOf(values, image)
  const problem = problemOf(values, settings)
  if (problem !== undefined) return failed(2, problem)
  const { PackageError, packageOperator } = await import('./package/package-operator.ts')
  try {
    const request = { controllers, schemas, settings, format: format as PackageFormat, out }
    const { changed, diff } = await packageOperator({ ...request, check: values.check })
    if (!values.check) {
      printError(
        `packaged ${settings.name} into ${relative('', out) || '.'}: ${count(changed)} written`,
      )
      return 0
    }
    if (changed.length === 0) return 0
    print(diff.trimEnd())
    return failed(1, `${count(changed)} out of date; run it again without --check`)
  } catch (error) {
    if (error instanceof PackageError) return failed(1, error.message)
    throw error
  }
}

function count({ length }: readonly string[]): string {
  return `${length} file${length === 1 ? '' : 's'}`
}

async function settingsOf(values: Values, image: string): Promise<PackageSettings> {
  const name = values.name ?? nameInImage(image)
  return {
    name,
    image,
    namespace: values.namespace ?? name,
    replicas: Number(values.replicas),
    main: values.main ?? (await startedProgram()),
    args: values.args,
    namespaced: values.namespaced,
    leaderElection: !values['no-leader-election'] && !values.sharding,
    sharding: values.sharding,
    events: !values['no-events'],
    alerts: values.alerts as AlertFormat,
    healthPort: Number(values['health-port']),
    webhookPort: Number(values['webhook-port']),
  }
}

/** `registry.example.com:5000/shop/operator:v1` is called `operator`. */
function nameInImage(image: string): string {
  const last = image.replace(/@.*$/, '').split('/').at(-1) ?? ''
  return last.replace(/:.*$/, '').toLowerCase()
}

function problemOf({ format, alerts }: Values, settings: PackageSettings): string | undefined {
  const { name, namespace, replicas, healthPort, webhookPort, leaderElection, sharding } = settings
  for (const [flag, value, known] of [
    ['format', format, packageFormats],
    ['alerts', alerts, alertFormats],
  ] as const) {
    if ((known as readonly string[]).includes(value)) continue
    const near = nearestName(value, known)
    const hint = near === undefined ? `one of ${known.join(', ')}` : `did you mean ${near}?`
    return `--${flag} ${value}: ${hint}`
  }
  for (const [flag, value] of [
    ['name', name],
    ['namespace', namespace],
  ] as const) {
    if (!isLabel(value))
      return `--${flag} ${value}: expected lower case letters, digits and hyphens, at most 50`
  }
  for (const [flag, port] of [
    ['health-port', healthPort],
    ['webhook-port', webhookPort],
  ] as const) {
    const isPort = Number.isInteger(port) && port > 1023 && port < 65536
    if (!isPort) return `--${flag}: expected a port from 1024 to 65535, which needs no rights`
  }
  if (!Number.isInteger(replicas) || replicas < 0) return '--replicas: expected a number'
  if (replicas > 1 && !leaderElection && !sharding)
    return '--replicas above 1 need leader election or --sharding: only one may work'
  return undefined
}

/** Names of services and secrets are made of it. */
function isLabel(name: string): boolean {
  return name.length <= 50 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)
}

/** The program that `npm start` runs here. */
async function startedProgram(): Promise<string> {
  try {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
    const [, program] = /^node (?:\.\/)?([\w./-]+)$/.exec(String(scripts?.start)) ?? []
    return program ?? usualProgram
  } catch {
    return usualProgram
  }
}

const usualProgram = 'dist/main.js'
