package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
)

var definitions = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
}

// dynamics defines a kind, finds it by discovery, and works with its objects without knowing their type.
func dynamics(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	if _, err = client.Resource(definitions).Create(ctx, widgetDefinition(), metav1.CreateOptions{}); err != nil {
		return err
	}
	widgets, err := discovered(ctx, config)
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(widgets).Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the dynamic cache never synced")
	}
	objects := client.Resource(widgets).Namespace(namespace)
	for i := range 5 {
		if _, err = objects.Create(ctx, widget(fmt.Sprintf("widget-%d", i), int64(i)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if _, err = objects.Create(ctx, widget("too-large", 1000), metav1.CreateOptions{}); !errors.IsInvalid(err) {
		return fmt.Errorf("expected the object to be invalid, got %v", err)
	}
	page, err := objects.List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil || len(page.Items) != 2 || page.GetContinue() == "" {
		return fmt.Errorf("the first page has %d items: %v", len(page.Items), err)
	}
	patch := []byte(`{"spec":{"size":7}}`)
	patched, err := objects.Patch(ctx, "widget-0", types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil || patched.GetGeneration() != 2 {
		return fmt.Errorf("patched to generation %d: %v", patched.GetGeneration(), err)
	}
	if err = objects.Delete(ctx, "widget-4", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return until(ctx, "the dynamic cache holds four widgets, one of them patched", func() bool {
		found, exists, _ := informer.GetStore().GetByKey(namespace + "/widget-0")
		if !exists || len(informer.GetStore().List()) != 4 {
			return false
		}
		size, _, _ := unstructured.NestedInt64(found.(*unstructured.Unstructured).Object, "spec", "size")
		return size == 7
	})
}

func discovered(ctx context.Context, config *rest.Config) (schema.GroupVersionResource, error) {
	finder, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	cached := memory.NewMemCacheClient(finder)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	var found schema.GroupVersionResource
	err = until(ctx, "discovery tells of widgets", func() bool {
		mapper.Reset()
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "clients.example.com", Kind: "Widget"})
		if err == nil {
			found = mapping.Resource
		}
		return err == nil
	})
	return found, err
}

func widget(name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "clients.example.com/v1",
		"kind":       "Widget",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"size": size},
	}}
}

func widgetDefinition() *unstructured.Unstructured {
	properties := map[string]any{"spec": map[string]any{
		"type":       "object",
		"properties": map[string]any{"size": map[string]any{"type": "integer", "maximum": int64(100)}},
	}}
	version := map[string]any{
		"name": "v1", "served": true, "storage": true,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": properties}},
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "widgets.clients.example.com"},
		"spec": map[string]any{
			"group":    "clients.example.com",
			"scope":    "Namespaced",
			"names":    map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget"},
			"versions": []any{version},
		},
	}}
}
