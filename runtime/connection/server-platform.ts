import type { Client } from '../client/client.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'

/**
 * The names that a server has: those of `platform`, or the public ones where it calls its groups by these. Label keys, finalizers and
 * namespaces are called accordingly.
 */
export async function platformOfServer(
  client: Pick<Client, 'kinds'>,
  platform: Platform,
  signal?: AbortSignal,
): Promise<Platform> {
  const { api, publicApi } = platform
  if (publicApi === undefined || publicApi === api) return platform
  const groups = new Set((await client.kinds(signal)).map(({ group }) => group))
  const has = (suffix: string) => [...groups].some((group) => group.endsWith(`.${suffix}`))
  return has(api) || !has(publicApi) ? platform : withPublicNames(platform)
}

function withPublicNames(platform: Platform): Platform {
  const {
    publicBrand,
    publicPrefix,
    publicApi,
    publicDomain,
    publicExtension,
    publicVendor,
    publicAgent,
  } = platform
  return {
    ...platform,
    ...(publicBrand !== undefined && { brand: publicBrand }),
    ...(publicPrefix !== undefined && { prefix: publicPrefix }),
    ...(publicApi !== undefined && { api: publicApi }),
    ...(publicDomain !== undefined && { domain: publicDomain }),
    ...(publicExtension !== undefined && { extension: publicExtension }),
    ...(publicVendor !== undefined && { vendor: publicVendor }),
    ...(publicAgent !== undefined && { agent: publicAgent }),
  }
}
