// The bundle stands in the page deflated: a third of its size. This makes it run.
(async () => {
  try {
    const bytes = Uint8Array.from(atob(document.getElementById("bundle").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.body.append(script);
  } catch (error) {
    document.body.append("This browser is too old for this page; open it in another one. " + error);
  }
})();
