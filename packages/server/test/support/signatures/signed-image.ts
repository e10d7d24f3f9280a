/** An image in a folder of its own, what is attached to it as signatures, and what the server says of them. */
import { parentOf } from "@wharf/contract";
import type { Answer } from "../client/api-client.ts";
import type { AttachedLayer, ImageWorld } from "../world/image-world.ts";
import { BUNDLE } from "./signing.ts";

let count = 0;

export class SignedImage {
  readonly images: ImageWorld;
  readonly name: string;
  readonly digest: string;
  readonly repo: string;

  private constructor(images: ImageWorld, name: string, digest: string, repo: string) {
    this.images = images;
    this.name = name;
    this.digest = digest;
    this.repo = repo;
  }

  /** Pushes a new image. */
  static async push(images: ImageWorld): Promise<SignedImage> {
    const name = `acme/signed-${count}/app-${count++}`;
    const { digest } = await images.push(name, "1", "no file system");
    return new SignedImage(images, name, digest, await images.repo(name));
  }

  /** The folder of the repository. */
  get group(): string {
    return parentOf(this.repo);
  }

  /** The bytes of its manifest. */
  async manifest(): Promise<Buffer> {
    return (await this.images.client.get(`/v2/${this.name}/manifests/${this.digest}`)).bytes;
  }

  /** Attaches layers at a tag of cosign. */
  async tag(suffix: "sig" | "att", layers: readonly AttachedLayer[]): Promise<void> {
    const tag = `${this.digest.replace(":", "-")}.${suffix}`;
    const config = '{"architecture":"","os":""}';
    await this.images.manifest(this.name, tag, { config, layers });
  }

  /** Attaches a bundle as a referrer; the digest of its manifest. */
  async attach(bundle: object | string, type = BUNDLE): Promise<string> {
    const content = typeof bundle === "string" ? bundle : JSON.stringify(bundle);
    return (await this.images.attach(this.name, this.digest, type, content)).digest;
  }

  /** Has the signatures of a group, or of the image's own one, trusted. */
  async trust(key: object, group = this.group): Promise<string> {
    const { world } = this.images;
    const created = { name: world.name("key"), ...key };
    return (await world.operator().verificationKeys.create(group, created)).uid;
  }

  async list(): Promise<Answer> {
    const { repo: repoUid, digest } = this;
    return this.images.world.operator().signatures.listImageSignatures({ repoUid, digest });
  }

  /** The signatures, once all of them are verified. */
  async signatures(): Promise<Answer[]> {
    await this.images.settled();
    const { signatures = [], pending } = await this.list();
    if (pending) throw new Error("signatures are pending, though nothing is requested");
    return signatures;
  }

  /** Of each signature the reason why it is not verified, or "verified". */
  async results(): Promise<string[]> {
    return (await this.signatures()).map(({ verified, reason }) =>
      verified ? "verified" : reason,
    );
  }
}
