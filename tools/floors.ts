/**
 * The floors of the house: a room may import rooms on lower floors only. ARCHITECTURE.md prints this table, and
 * `tools/check/layers.ts` holds every import to it.
 */
export interface Floor {
  readonly rooms: readonly string[]
  readonly about: string
}

/** From the ground up. */
export const floors: readonly Floor[] = [
  { rooms: ['runtime/kernel'], about: 'words every line may use' },
  { rooms: ['generated'], about: 'pure facts, passed in as an argument' },
  {
    rooms: ['runtime/codec', 'runtime/observe', 'runtime/cel'],
    about: 'bytes, what an operator is told; expressions',
  },
  {
    rooms: [
      'runtime/store',
      'runtime/apply',
      'runtime/client',
      'runtime/config',
      'runtime/webhook',
      'runtime/audit',
    ],
    about: 'revisions; merging; requests; options; asking others; records',
  },
  {
    rooms: ['runtime/customs', 'runtime/policy'],
    about: 'kinds that are defined at run time; expressions about requests',
  },
  {
    rooms: [
      'runtime/watch',
      'runtime/kinds',
      'runtime/admission',
      'runtime/auth',
      'runtime/informer',
    ],
    about: 'live views, and what is particular to a kind or a caller',
  },
  {
    rooms: ['runtime/registry', 'runtime/reconcile'],
    about: 'the order of things for one verb, one key',
  },
  { rooms: ['runtime/serve'], about: 'HTTP' },
  { rooms: ['runtime/apiserver'], about: 'the server rooms put together' },
  { rooms: ['runtime/testing', 'runtime/runtime.ts'], about: 'what users of the package import' },
  { rooms: ['daemons'], about: 'options to rooms to run' },
  { rooms: ['tools'], about: 'the orch command and our own checks' },
  { rooms: ['examples'], about: 'as a stranger would: through the package only' },
]

/** Rooms of the server and of its clients meet in generated facts and on the wire, never in an import. */
export const serverRooms: readonly string[] = [
  'runtime/store',
  'runtime/webhook',
  'runtime/audit',
  'runtime/watch',
  'runtime/customs',
  'runtime/policy',
  'runtime/kinds',
  'runtime/registry',
  'runtime/admission',
  'runtime/auth',
  'runtime/serve',
]
export const clientRooms: readonly string[] = [
  'runtime/client',
  'runtime/informer',
  'runtime/reconcile',
]

/** Any file of these rooms may be imported; other rooms are entered through the file named after them. */
export const openRooms: readonly string[] = ['runtime/kernel', 'generated', 'daemons', 'tools']

/** The table as ARCHITECTURE.md prints it, top floor first. */
export function printFloors(): string {
  const rows = floors.map(({ rooms, about }, floor) => {
    const names = rooms.map((room) => room.replace(/^runtime\//, '')).join('  ')
    return `${String(floor - 1).padStart(2)}  ${names.padEnd(46)}${about}`
  })
  return rows.reverse().join('\n')
}
