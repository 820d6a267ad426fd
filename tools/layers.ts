/**
 * The layers: a module imports modules on lower layers only, and inside a module folders import lower folders only.
 * ARCHITECTURE.md prints both tables, and `tools/check/layers.ts` holds every import to them.
 */
export interface Layer {
  readonly modules: readonly string[]
  readonly about: string
}

/** From the lowest up. */
export const layers: readonly Layer[] = [
  { modules: ['runtime/kernel'], about: 'words every line may use' },
  { modules: ['generated'], about: 'pure facts, passed in as an argument' },
  {
    modules: [
      'runtime/serializer',
      'runtime/observe',
      'runtime/cel',
      'runtime/certificates',
      'runtime/pods',
      'runtime/cloud',
      'runtime/container-runtime',
      'runtime/streams',
    ],
    about:
      'bytes; logs and metrics; expressions; certificates; what pods need of nodes; what clouds do; what runs containers; several streams on a connection',
  },
  {
    modules: [
      'runtime/store',
      'runtime/apply',
      'runtime/client',
      'runtime/config',
      'runtime/webhook',
      'runtime/audit',
      'runtime/auth',
      'runtime/quota',
      'runtime/processes',
    ],
    about:
      'revisions; merging; requests; options; webhooks; records; who and may; what quotas count; several processes that are one server',
  },
  {
    modules: [
      'runtime/apiextensions',
      'runtime/policy',
      'runtime/serving',
      'runtime/delegation',
      'runtime/connection',
      'runtime/election',
      'runtime/encryption',
      'runtime/aggregator',
    ],
    about:
      'kinds that are defined at run time; admission expressions; listeners with TLS; who callers are to a server; where servers are; who leads; encryption at rest; other servers',
  },
  {
    modules: [
      'runtime/watch',
      'runtime/apis',
      'runtime/admission',
      'runtime/informer',
      'runtime/recorder',
      'runtime/daemon',
    ],
    about: 'live views, and what is particular to a kind or a request; events; health',
  },
  {
    modules: ['runtime/registry', 'runtime/reconcile', 'runtime/webhook-server'],
    about: 'the order of things for one verb, one key, one review',
  },
  {
    modules: [
      'runtime/server',
      'runtime/loopback',
      'runtime/controllers',
      'runtime/operator',
      'runtime/history',
      'runtime/validate',
      'runtime/build',
    ],
    about:
      'HTTP; a client in process; control loops of the server; what an operator tells; what became of objects; what is wrong with documents; objects of configuration modules',
  },
  {
    modules: [
      'runtime/apiserver',
      'runtime/controller-manager',
      'runtime/scheduler',
      'runtime/simulated-nodes',
      'runtime/agent',
      'runtime/agent-server',
      'runtime/metrics-api',
      'runtime/service-proxy',
      'runtime/cluster-dns',
      'runtime/editor',
      'runtime/node-certificates',
    ],
    about:
      'the server modules put together; the controllers of a cluster; which node a pod goes to; nodes without anything that runs; pods that run; the port of their node; what nodes and pods use; services that are reached; names of services; what editors ask of documents; certificates of nodes',
  },
  { modules: ['runtime/testing', 'runtime/runtime.ts'], about: 'what users of the package import' },
  { modules: ['daemons'], about: 'options to modules to run' },
  { modules: ['tools'], about: 'the orch command and our own checks' },
  { modules: ['examples'], about: 'as a stranger would: through the package only' },
]

/**
 * The folders of a module from the lowest up; those of one row know nothing of each other. `.` is the files that stand beside the
 * folders, except for the index, which is above all of them. A module that is not named here has no order yet.
 */
export const innerLayers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'runtime/streams': [['spdy'], ['protocols'], ['.']],
  'runtime/service-proxy': [['contract'], ['decision', 'nftables', 'userland'], ['running'], ['.']],
  'runtime/cluster-dns': [['contract'], ['zone'], ['serving'], ['running'], ['.']],
  'runtime/agent-server': [['contract'], ['logs', 'stats'], ['pages'], ['running'], ['.']],
  'runtime/validate': [
    ['rules'],
    ['kinds', 'migration', 'references', 'report', 'text'],
    ['object'],
    ['policies'],
    ['platform'],
    ['.'],
  ],
  'runtime/editor': [
    ['schema', 'text'],
    ['workspace'],
    ['hover', 'symbols'],
    ['completion', 'fixes', 'navigation'],
  ],
  codegen: [['schema'], ['compare', 'emit', 'import'], ['print'], ['cache'], ['pipeline'], ['.']],
  'runtime/kernel': [
    ['async', 'auth', 'values'],
    ['validation'],
    ['errors'],
    ['meta'],
    ['descriptors'],
    ['openapi', 'options', 'walker'],
  ],
  'runtime/serializer': [['format'], ['json'], ['protobuf', 'yaml'], ['.']],
  'runtime/observe': [['logging', 'metrics', 'tracing']],
  'runtime/cel': [
    ['limits', 'types'],
    ['values'],
    ['functions', 'syntax'],
    ['cost', 'schema'],
    ['standard'],
    ['check', 'library'],
    ['plan'],
    ['estimate'],
    ['program'],
    ['validation'],
  ],
  'runtime/client': [['http'], ['.']],
  'runtime/controllers': [['contract'], ['access', 'definitions', 'identity', 'remote'], ['.']],
  'runtime/reconcile': [
    ['changes'],
    ['queue'],
    ['controller'],
    ['objects'],
    ['watching'],
    ['running'],
    ['.'],
  ],
  'runtime/webhook-server': [['certificate'], ['serving'], ['admission', 'conversion'], ['.']],
  'runtime/apply': [['field-set'], ['typed'], ['managers', 'patch'], ['server-side']],
  'runtime/config': [
    ['value'],
    ['flags'],
    ['gates'],
    ['help', 'validation'],
    ['files'],
    ['load'],
    ['.'],
  ],
  'runtime/apis': [
    ['types'],
    ['strategy'],
    ['core'],
    [
      'admissionregistration',
      'apiextensions',
      'apiregistration',
      'apiserverinternal',
      'apps',
      'autoscaling',
      'batch',
      'certificates',
      'discovery',
      'flowcontrol',
      'networking',
      'node',
      'policy',
      'rbac',
      'resource',
      'scheduling',
      'storage',
    ],
    ['printers'],
    ['tables'],
  ],
  'runtime/auth': [['.'], ['authn', 'authz']],
  'runtime/store': [
    ['.'],
    ['archive', 'sql'],
    ['sqlite', 'postgres', 'memory', 'remote'],
    ['drivers'],
  ],
  'runtime/encryption': [['ciphers'], ['providers'], ['kms'], ['.']],
  'runtime/apiextensions': [
    ['formats', 'schema'],
    ['reader'],
    ['definition'],
    ['conversion'],
    ['kind'],
    ['openapi'],
    ['.'],
  ],
  'runtime/admission': [['chain'], ['matching'], ['policy', 'webhook'], ['plugins'], ['.']],
  'runtime/registry': [
    ['contract'],
    ['storage'],
    ['strategy', 'reviews'],
    ['write'],
    ['verbs'],
    ['subresources'],
    ['.'],
  ],
  'runtime/server': [
    ['http'],
    ['request'],
    ['negotiation', 'flow', 'metrics'],
    ['discovery'],
    ['context'],
    ['audit', 'endpoints'],
    ['filters'],
    ['.'],
  ],
  'runtime/container-runtime': [['contract'], ['groups'], ['cri', 'embedded'], ['.']],
  'runtime/agent': [
    ['containers', 'decision', 'logs'],
    ['pressure'],
    ['images', 'node', 'probes', 'sources', 'volumes'],
    ['running'],
    ['.'],
  ],
  'runtime/scheduler': [
    ['facts'],
    ['snapshot'],
    ['filters'],
    ['scores'],
    ['decision'],
    ['queue'],
    ['running'],
    ['.'],
  ],
  'runtime/controller-manager': [
    ['contract'],
    ['pods'],
    [
      'autoscaling',
      'batch',
      'cloud',
      'cluster',
      'disruption',
      'garbage-collection',
      'identity',
      'network',
      'quota',
      'resource-claims',
      'storage',
      'workloads',
    ],
    ['.'],
  ],
}

/** Modules of the server and of its clients meet in generated facts and on the wire, never in an import. */
export const serverModules: readonly string[] = [
  'runtime/store',
  'runtime/encryption',
  'runtime/webhook',
  'runtime/audit',
  'runtime/watch',
  'runtime/apiextensions',
  'runtime/policy',
  'runtime/apis',
  'runtime/registry',
  'runtime/admission',
  'runtime/auth',
  'runtime/server',
]
/** Modules of a client; see `serverModules`. */
export const clientModules: readonly string[] = [
  'runtime/client',
  'runtime/connection',
  'runtime/webhook-server',
  'runtime/election',
  'runtime/informer',
  'runtime/operator',
  'runtime/recorder',
  'runtime/reconcile',
  'runtime/scheduler',
]

/** Any file of these modules may be imported; other modules are entered through the file named after them. */
export const openModules: readonly string[] = ['runtime/kernel', 'generated', 'daemons', 'tools']

/** The layers as ARCHITECTURE.md prints them, the highest first. */
export function printLayers(): string {
  const rows = layers.map(({ modules, about }, layer) => {
    const names = modules.map(short).join('  ')
    return `${String(layer - 1).padStart(2)}  ${names.padEnd(88)}  ${about}`
  })
  return rows.reverse().join('\n')
}

/** The folders inside the modules as ARCHITECTURE.md prints them, the highest of each first. */
export function printInnerLayers(): string {
  const rows = Object.entries(innerLayers).map(([module, folders]) => {
    const names = folders.map((row) => row.join(' ')).reverse()
    return `${short(module).padEnd(16)}${names.join(' > ')}`
  })
  return rows.join('\n')
}

/** The name of a module without its folder. */
function short(module: string): string {
  return module.replace(/^runtime\//, '')
}
