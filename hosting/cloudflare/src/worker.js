// Wakes the container when somebody asks, and passes requests on. Who may ask is decided inside, by the key.
import { Container, getContainer } from "@cloudflare/containers";

export class Reckon extends Container {
  defaultPort = 11435;
  // Ready when the model is loaded, not when the port is open.
  pingEndpoint = "localhost/readyz";
  sleepAfter = "10m";
  // The model is in the image: there is nothing to fetch, and nobody to tell.
  enableInternet = false;

  constructor(ctx, env) {
    super(ctx, env);
    // `wrangler secret put RECKON_KEYS`: at least 16 characters. The disk is lost at sleep, so keys cannot be kept there.
    this.envVars = { RECKON_KEYS: env.RECKON_KEYS };
  }
}

export default {
  async fetch(request, env) {
    // Strangers must not be able to keep it awake: without something that looks like a key nothing is woken.
    const path = new URL(request.url).pathname;
    const key = request.headers.get("authorization") ?? request.headers.get("x-api-key");
    if (!key && path.startsWith("/v1/")) {
      return Response.json({ error: { message: "a key is needed" } }, { status: 401 });
    }
    return getContainer(env.RECKON).fetch(request);
  },
};
