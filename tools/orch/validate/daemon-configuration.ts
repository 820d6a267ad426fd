import type { ConfigurationJudge } from '../../../runtime/validate/validate.ts'

/** The kinds of the daemons' own files; what checks them is loaded with the first of them. */
export async function daemonConfiguration(): Promise<ConfigurationJudge> {
  const { configKinds } = await import('../../../generated/config.ts')
  return {
    has: (kind) => Object.hasOwn(configKinds, kind),
    check: async (source) => (await import('../config.ts')).configFindings(source),
  }
}
