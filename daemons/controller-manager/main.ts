#!/usr/bin/env node
import { configKinds } from '../../generated/config.ts'
import { controllers } from '../../generated/controllers.ts'
import { features } from '../../generated/features.ts'
import { metrics } from '../../generated/metrics.ts'
import { options } from '../../generated/options/orch-controller-manager.ts'
import { platform } from '../../generated/platform.ts'
import { run } from '../run.ts'
import { runControllerManager } from './controller-manager.ts'

const facts = { options, features, controllers, configKinds, platform, metrics }

await run((terminal, signal) => runControllerManager(facts, terminal, signal))
