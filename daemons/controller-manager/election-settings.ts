/** Which leases the controller manager seeks, and which controllers move from one program to another. */
import type { GenericControllerManagerConfiguration } from '../../generated/config/controllermanager/v1alpha1.ts'
import type { ControllerName } from '../../generated/controllers.ts'
import type { MigrationSettings } from '../../runtime/controller-manager/controller-manager.ts'
import type { LeaseTiming } from '../../runtime/election/election.ts'
import type { ControllerFacts } from '../../runtime/kernel/descriptors/controller-facts.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import { didYouMean } from '../../runtime/kernel/values/spelling.ts'
import { leaseProblems } from '../client-daemon/run-on-lease.ts'

type Migration = GenericControllerManagerConfiguration['LeaderMigration']

/** A lease, and how long it holds. */
interface SoughtLease extends Required<LeaseTiming> {
  readonly name: string
  readonly namespace: string
}

/** The leases of a controller manager. */
export interface ElectionSettings {
  /** Undefined where it runs its controllers whatever others do. */
  readonly leaderElection?: SoughtLease
  readonly migration?: Omit<MigrationSettings, 'leaderElection'> & {
    readonly leaderElection: SoughtLease
    /** Controllers that run elsewhere while they move. */
    readonly elsewhere: ReadonlySet<ControllerName>
  }
}

/** What leases are sought by. */
export interface ElectionFacts {
  readonly platform: Platform
  readonly controllers: readonly ControllerFacts<ControllerName>[]
  /** What the file of `--leader-migration-config` says, in place of the part of the configuration. */
  readonly migrationFile: Migration | undefined
}

/** The usual lock of controllers that move out of this program. */
const usualMigration = {
  leaderName: 'cloud-provider-extraction-migration',
  moved: ['route', 'service', 'cloud-node-lifecycle'],
} as const

/** The leases that a configuration names, as a server of the platform's own names has them; see `electionOn`. */
export function electionSettings(
  generic: GenericControllerManagerConfiguration,
  facts: ElectionFacts,
): { readonly settings: ElectionSettings; readonly problems: readonly string[] } {
  const { LeaderElection: election, LeaderMigrationEnabled } = generic
  if (!election.leaderElect) {
    const problem =
      '--enable-leader-migration needs --leader-elect: controllers move between programs that hold leases'
    return { settings: {}, problems: LeaderMigrationEnabled ? [problem] : [] }
  }
  const timing = {
    leaseMs: parseDuration(election.leaseDuration) ?? 0,
    renewDeadlineMs: parseDuration(election.renewDeadline) ?? 0,
    retryMs: parseDuration(election.retryPeriod) ?? 0,
  }
  const { resourceName: name, resourceNamespace: namespace } = election
  const leaderElection = { name, namespace, ...timing }
  const problems = [
    ...lockProblems('--leader-elect-resource-lock', election.resourceLock),
    ...leaseProblems(leaderElection),
  ]
  if (!LeaderMigrationEnabled) return { settings: { leaderElection }, problems }
  const migration = migrationOf(facts.migrationFile ?? generic.LeaderMigration, facts)
  return {
    settings: {
      leaderElection,
      migration: {
        ...migration,
        leaderElection: { ...leaderElection, name: migration.leaderName },
      },
    },
    problems: [...problems, ...migration.problems],
  }
}

/** The same leases as a server calls them: the usual name and namespace are those of its platform. */
export function electionOn(
  server: Platform,
  own: Platform,
  { leaderElection, migration }: ElectionSettings,
): ElectionSettings {
  const named = (text: string, usual: string) =>
    text === `${own.prefix}-${usual}` ? `${server.prefix}-${usual}` : text
  const renamed = (lease: SoughtLease): SoughtLease => ({
    ...lease,
    name: named(lease.name, 'controller-manager'),
    namespace: named(lease.namespace, 'system'),
  })
  return {
    ...(leaderElection && { leaderElection: renamed(leaderElection) }),
    ...(migration && {
      migration: { ...migration, leaderElection: renamed(migration.leaderElection) },
    }),
  }
}

function lockProblems(setting: string, lock: string): readonly string[] {
  if (lock === 'leases') return []
  return [`${setting} ${lock}: only leases are known to all programs of this release; say leases`]
}

function migrationOf(
  { leaderName, resourceLock, controllerLeaders }: Migration,
  { platform, controllers }: ElectionFacts,
) {
  const component = `${platform.prefix}-controller-manager`
  const names = new Set([component, `${platform.publicPrefix}-controller-manager`, '*'])
  const isUsual = leaderName === '' && controllerLeaders.length === 0
  const leaders = isUsual
    ? usualMigration.moved.map((name) => ({ name, component }))
    : controllerLeaders
  const known = new Map(
    controllers.flatMap(({ controller, alias }) => [
      [controller as string, controller] as const,
      [alias ?? controller, controller] as const,
    ]),
  )
  const here = new Set<ControllerName>()
  const elsewhere = new Set<ControllerName>()
  const problems: string[] = []
  for (const one of leaders) {
    const controller = known.get(one.name)
    if (controller !== undefined) (names.has(one.component) ? here : elsewhere).add(controller)
    // other programs have controllers of other names
    else if (one.component !== '*' && names.has(one.component)) {
      const why = `${component} has no such controller${didYouMean(one.name, known.keys())}`
      problems.push(`leader migration: controllerLeaders: ${JSON.stringify(one.name)}: ${why}`)
    }
  }
  const name = isUsual ? usualMigration.leaderName : leaderName
  return {
    ...{ leaderName: name, controllers: here, elsewhere },
    problems: [
      ...problems,
      ...(name === '' ? ['leader migration: leaderName: a lock has to have a name'] : []),
      ...lockProblems('leader migration: resourceLock', resourceLock),
    ],
  }
}
