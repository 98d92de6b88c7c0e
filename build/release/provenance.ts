import { lockedRuntime, type Target } from "../runtimes.ts";
import type { Release } from "./release.ts";

interface Resource {
  readonly uri: string;
  readonly digest: Readonly<Record<string, string>>;
}

/**
 * An in-toto statement with the provenance of SLSA 1: which files were built from which commit, with
 * what. It has no times and no names of machines, so that whoever builds again can compare it.
 */
export function provenanceOf(
  release: Release,
  subjects: readonly { readonly name: string; readonly sha256: string }[],
  targets: readonly Target[],
  lockHash: string,
): unknown {
  const [commit = ""] = release.commit.split("-");
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const source =
    server === undefined ? "git+https://source.invalid/amp-admin" : `git+${server}/${repository}`;
  const node = process.versions.node;
  const runtimes = targets.map((target): Resource => {
    const { name, version, integrity } = lockedRuntime(target);
    const digest = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
    return { uri: `pkg:npm/${name.replace("@", "%40")}@${version}`, digest: { sha512: digest } };
  });
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${release.url}/build-types/npm-run-release/v1`,
        externalParameters: {
          command: "npm ci && npm run release",
          source: { uri: source, digest: { gitCommit: commit } },
          url: release.url,
        },
        internalParameters: {
          SOURCE_DATE_EPOCH: release.epoch,
          node,
          isDirty: release.commit !== commit,
        },
        resolvedDependencies: [
          { uri: source, digest: { gitCommit: commit } },
          { uri: "package-lock.json", digest: { sha256: lockHash } },
          ...runtimes,
        ],
      },
      runDetails: {
        builder: {
          id:
            server === undefined
              ? `${release.url}/builders/local`
              : `${server}/${process.env.GITHUB_WORKFLOW_REF}`,
        },
      },
    },
  };
}
